#include "session/hit_condition.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define MOST_DIGITS 18

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static int wrong(const char *text, struct error *ret_error)
{
    return error_set(
        ret_error, ERROR_REQUEST,
        "\"%.60s\" is no hit condition: write N or == N (the Nth hit alone), >= N, > N, <= N, < N, or %% N (every Nth)", text);
}

int hit_condition_read(const char *text, struct hit_condition *ret, struct error *ret_error)
{
    static const struct {
        const char *word;
        enum hit_operator op;
    } known[] = {
        { "===", HIT_EQUAL }, { "==", HIT_EQUAL }, { ">=", HIT_AT_LEAST }, { "<=", HIT_AT_MOST },
        { "=", HIT_EQUAL },   { ">", HIT_ABOVE },  { "<", HIT_BELOW },     { "%", HIT_EVERY },
    };
    const char *at = skip_blanks(text);
    *ret = (struct hit_condition){ HIT_EQUAL, 0 };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        size_t len = strlen(known[i].word);
        if (strncmp(at, known[i].word, len) == 0) {
            ret->op = known[i].op;
            at = skip_blanks(at + len);
            break;
        }
    }
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > MOST_DIGITS || *skip_blanks(at + digits) != '\0')
        return wrong(text, ret_error);
    for (size_t i = 0; i < digits; i++)
        ret->number = ret->number * 10 + (at[i] - '0');
    bool never = ret->number == 0 && (ret->op == HIT_EQUAL || ret->op == HIT_EVERY || ret->op == HIT_AT_MOST);
    if (never || (ret->op == HIT_BELOW && ret->number <= 1))
        return error_set(ret_error, ERROR_REQUEST, "hit condition \"%.60s\" can never hold: hits are counted from 1", text);
    return 0;
}

bool hit_condition_holds(const struct hit_condition *condition, uint64_t hits)
{
    uint64_t number = (uint64_t)condition->number;
    switch (condition->op) {
    case HIT_EQUAL:
        return hits == number;
    case HIT_AT_LEAST:
        return hits >= number;
    case HIT_ABOVE:
        return hits > number;
    case HIT_AT_MOST:
        return hits <= number;
    case HIT_BELOW:
        return hits < number;
    case HIT_EVERY:
        return hits % number == 0;
    }
    return true;
}
