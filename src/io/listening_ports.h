/* The TCP ports that a process, or one below it, listens on now, as /proc shows them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Each once; returns how many, at most `most`. */
size_t listening_ports(pid_t pid, uint16_t *ret_ports, size_t most);
