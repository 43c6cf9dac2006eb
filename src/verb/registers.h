/* Names of registers. */
#pragma once

#include <stdbool.h>

/* Of general purpose, or the place of execution, on x86 and ARM: rax, r8, eflags, x0, sp, pc. */
bool register_is_general(const char *name);
