/* One of the expressions of a call, and what became of it. */
#pragma once

#include "session/model.h"

#include <stdbool.h>

struct evaluation {
    const char *expression; /* the call's */
    bool evaluated;
    bool statement; /* it was run, and has no value */
    struct variable value;
    char *failure; /* why it has no value; NULL */
};

static inline void evaluation_done(struct evaluation *evaluation)
{
    variable_done(&evaluation->value);
    free(evaluation->failure);
}
