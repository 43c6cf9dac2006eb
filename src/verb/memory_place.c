#include "verb/memory_place.h"

#include "verb/internal.h"

#include <errno.h>
#include <string.h>

void memory_place_done(struct memory_place *place)
{
    free(place->text);
    free(place->reference);
}

bool memory_address_read(const char *text, uint64_t *ret)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    size_t len = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (len == 0 || digits[len] != '\0')
        return false;
    errno = 0;
    *ret = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

/* "0x5581a2c0 <items>" and "(int *) 0x5581a2c0" are addresses; "{x = 0x1}" is none. */
static char *address_in_value(const char *value)
{
    if (value == NULL)
        return NULL;
    const char *from = value;
    if (*from == '(') {
        from = strchr(from, ')');
        from = from == NULL ? value : from + 1 + strspn(from + 1, " ");
    }
    if (from[0] != '0' || from[1] != 'x')
        return NULL;
    size_t len = 2 + strspn(from + 2, "0123456789abcdefABCDEF");
    return len > 2 ? xstrndup(from, len) : NULL;
}

static void evaluate(struct call *call, const char *expression);

static void on_value(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct memory_place *place = call->state;
    if (answer->outcome != DAP_OK && !place->tried_address) {
        call_answered(call, answer);
        return;
    }
    call->request = 0;
    const char *told = answer->outcome == DAP_OK ? json_string(answer->body, "memoryReference") : NULL;
    place->reference = told != NULL && told[0] != '\0' ? xstrdup(told)
                       : answer->outcome == DAP_OK     ? address_in_value(json_string(answer->body, "result"))
                                                       : NULL;
    if (place->reference != NULL) {
        place->found(call);
    } else if (!place->tried_address) {
        place->tried_address = true;
        const char *type = json_string(answer->body, "type");
        size_t len = type == NULL ? 0 : strlen(type);
        bool pointer = len > 0 && type[len - 1] == '*'; /* to characters: told as a text */
        AUTO_FREE char *address = xasprintf(pointer ? "(void *)(%s)" : "&(%s)", place->text);
        evaluate(call, address);
    } else {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(
            &error, ERROR_ARGUMENT,
            "/memory_reference: %s has no place in memory that the adapter tells; give an address (0x…) or an expression that is "
            "a pointer",
            place->text);
        call_give_up(call, &error);
    }
}

static void evaluate(struct call *call, const char *expression)
{
    int64_t frame;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (call_frame(call, &frame, NULL, &error) < 0)
        call_give_up(call, &error);
    else
        call_request(call, "evaluate", evaluate_arguments(expression, frame), on_value);
}

void memory_place_find(struct call *call, const char *text, void (*found)(struct call *call))
{
    struct memory_place *place = call->state;
    uint64_t address;
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    place->text = xstrndup(text, len);
    place->found = found;
    if (memory_address_read(place->text, &address)) {
        place->reference = xstrdup(place->text);
        found(call);
        return;
    }
    place->evaluated = true;
    evaluate(call, place->text);
}
