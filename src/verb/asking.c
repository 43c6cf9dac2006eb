#include "verb/asking.h"

#include "base/memory.h"

#include <stdlib.h>

struct asking {
    session_answer_fn answer;
    void *user;
    int64_t *id;
    bool *answered; /* on the stack of session_ask, while it is there */
};

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct asking asking = *(struct asking *)user;
    free(user);
    if (asking.answered != NULL)
        *asking.answered = true;
    if (asking.id != NULL)
        *asking.id = 0;
    asking.answer(asking.user, answer);
}

int64_t session_ask(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                    session_answer_fn answer, void *user, int64_t *id)
{
    struct asking *asking = xcalloc(1, sizeof(*asking));
    bool answered = false;
    *asking = (struct asking){ answer, user, id, &answered };
    int64_t request = session_request(session, command, arguments, timeout_ms, on_answer, asking);
    if (answered) /* what `id` points into may be gone */
        return 0;
    asking->answered = NULL;
    if (id != NULL)
        *id = request;
    return request;
}
