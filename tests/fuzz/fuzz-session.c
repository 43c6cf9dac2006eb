/* The play of tests/unit/session_simulator.h, with its choices from bytes: one byte, one choice. */
#include "../unit/session_simulator.h"

#include <stddef.h>
#include <stdint.h>

struct script {
    const uint8_t *at, *end;
};

/* At the end of the bytes everything that is still to be chosen is the first. */
static unsigned choose(void *user, unsigned below)
{
    struct script *script = user;
    return script->at < script->end ? *script->at++ % below : 0;
}

static bool over(void *user)
{
    const struct script *script = user;
    return script->at == script->end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct script script = { .at = data, .end = data + len };
    struct choices choices = { .choose = choose, .over = over, .user = &script, .label = "fuzz-session" };
    simulate_session(&choices);
    return 0;
}
