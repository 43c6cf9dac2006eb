/* What became, or becomes, of a process that was attached to: it is not ours, and its life is told apart from the session's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct named;

/* Is the process that was attached to by its number still the one that runs under it? */
bool attached_lives(const struct named *named);
/* Kills it, whoever holds that number now being left alone. */
void attached_kill(const struct named *named);
/* "attached to pid 123 (app)" while the session is active; "pid 123 (app) goes on" or "pid 123 (app) has ended" behind its end. Nothing for
 * a program that was launched. */
void attached_describe(struct buffer *out, const struct named *named);
