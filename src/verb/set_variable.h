/* What became of a value that was to be set. */
#pragma once

#include "session/model.h"

#include <stdbool.h>

enum set_way { SET_BY_VARIABLE, SET_BY_EXPRESSION, SET_BY_ASSIGNMENT };

struct set_outcome {
    enum set_way way;
    bool by_choice;           /* the adapter claims another way, too */
    const char *target;       /* as the call named it */
    const char *adapter;      /* id */
    struct variable variable; /* read back */
    char *was;                /* NULL: not read before */
    bool unchanged;           /* its value is what it was, and not what was written */
    char *trouble;            /* why it could not be read back; NULL */
    const char *answered;     /* in both cases: what the adapter said of the new value; NULL */
};
