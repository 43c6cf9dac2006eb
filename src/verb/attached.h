/* What became, or becomes, of a process that was attached to: it is not ours, and its life is told apart from the session's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct adapter_entry;
struct buffer;
struct call;
struct named;

/* Looks what is behind a port of this machine, before it is connected to: some serve one client, and close the port then. */
void attached_at_port(struct named *named, const struct adapter_entry *entry, uint16_t port);
/* What the adapter has told of it since. */
void attached_take_told(struct named *named);

/* The process that was attached to: by its number, or behind a port; 0: not known. */
int64_t attached_pid(const struct named *named);
/* Is it still the one that runs under its number? */
bool attached_lives(const struct named *named);
/* Kills it, whoever holds that number now being left alone. */
void attached_kill(const struct named *named);
/* What has become of one that was to be killed, unless attached_describe says it. */
void attached_tell_kill(struct call *call);
/* "attached to pid 123 (app)" while the session is active; "pid 123 (app) goes on" or "pid 123 (app) has ended" behind its end. Nothing for
 * a program that was launched. */
void attached_describe(struct buffer *out, const struct named *named);
