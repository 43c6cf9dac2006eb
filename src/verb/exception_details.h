/* All that an adapter tells of an exception, with what caused it. */
#pragma once

#include <stddef.h>
#include <yyjson.h>

struct exception_cause {
    char *type_name, *message, *evaluate_name, *stack_trace; /* NULL where not told */
    int depth; /* 0: the exception itself; more: a cause of the one before with less */
};

struct exception_details {
    char *id;
    char *description, *break_mode; /* NULL where not told */
    struct exception_cause *causes; /* the exception itself first */
    size_t count;
    size_t left_out; /* causes over LIMIT_EXCEPTION_CAUSES */
};

void exception_details_read(yyjson_val *body, struct exception_details *ret);
void exception_details_done(struct exception_details *details);
