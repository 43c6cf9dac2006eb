#include "cli/examination.h"

#include "adapter/catalog.h"
#include "adapter/program_file.h"
#include "adapter/version.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/probe.h"
#include "io/loop.h"
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

/* For adapters that are the program's own process. In most languages this is a program, if only one that ends with an error. */
#define EMPTY_PROGRAM "exit\n"

struct examining {
    struct loop loop;
    const struct examination_place *place;
    char *empty_program; /* path */
    size_t under_way;
    uv_signal_t signals[2];
    bool interrupted;
};

/* One that is being probed, and all of them. */
struct patient {
    struct examining *examining;
    struct examination *examination;
};

/* ---- the empty program ---- */

static int write_empty_program(struct examining *examining, struct error *ret_error)
{
    const char *folder = getenv("TMPDIR");
    AUTO_FREE char *path = path_join(folder != NULL && *folder == '/' ? folder : "/tmp", "dapple-doctor-XXXXXX");
    int fd = mkstemp(path);
    bool written = fd >= 0 && write(fd, EMPTY_PROGRAM, strlen(EMPTY_PROGRAM)) == (ssize_t)strlen(EMPTY_PROGRAM);
    int fault = errno;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && !written)
        unlink(path);
    if (!written)
        return error_set(ret_error, ERROR_CONFIG, "no temporary file: %s: %s", path, strerror(fault));
    examining->empty_program = xstrdup(path);
    return 0;
}

static void remove_empty_program(struct examining *examining)
{
    unlink(examining->empty_program);
    free(examining->empty_program);
}

/* ---- looking ---- */

/* What a launch would look for, and what it would find. */
static bool look(const struct examination_place *place, struct examination *examination)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer faults;
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    AUTO_FREE char *program = place->program != NULL ? xstrdup(place->program) : path_join(place->cwd, "program");
    buffer_init(&faults, LIMIT_MESSAGE_BYTES * 4);
    if (place->program != NULL && !path_is_folder(program))
        program_file_read(program, &file, NULL);
    struct adapter_search search = {
        .program = program,
        .cwd = place->cwd,
        .shebang = file.interpreter_path,
        .faults = &faults,
    };
    if (adapter_discover(examination->entry, &search, &examination->found, &error) == 0)
        return true;
    examination->finding = faults.len > 0 ? FINDING_UNUSABLE : FINDING_MISSING;
    examination->fault = faults.len > 0 ? xstrdup(faults.data) : NULL;
    examination->error = xstrdup(error.message);
    return false;
}

/* ---- probing ---- */

static void on_probed(void *user, const struct probe_result *result)
{
    struct patient *patient = user;
    struct examination *examination = patient->examination;
    examination->finding = result->failure == NULL ? FINDING_WORKS : FINDING_FAILS;
    examination->fault = xstrdup(result->failure);
    examination->said = xstrdup(result->said);
    examination->answer_ms = result->answer_ms;
    examination->answer = yyjson_doc_get_root(result->answer);
    if (--patient->examining->under_way == 0)
        loop_stop(&patient->examining->loop);
}

static void put_empty_program(const struct examining *examining, struct launch_plan *plan)
{
    for (char **word = plan->command.argv; plan->program != NULL && *word != NULL; word++) {
        if (strcmp(*word, plan->program) == 0)
            xreplace(word, examining->empty_program);
    }
}

static int make_plan(const struct examining *examining, struct examination *examination, struct error *ret_error)
{
    const struct examination_place *place = examining->place;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, LIMIT_TEXT_BYTES);
    char *args[] = { examining->empty_program, NULL };
    struct adapter_request request = {
        .program = place->program,
        .cwd = place->cwd,
        .surroundings = place->surroundings,
        .args = place->program == NULL ? args : NULL,
    };
    if (adapter_plan(examination->entry, &request, &examination->plan, &warnings, ret_error) < 0)
        return -1;
    put_empty_program(examining, examination->plan);
    return 0;
}

static void begin(struct examining *examining, struct patient *patient)
{
    struct examination *examination = patient->examination;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (!look(examining->place, examination))
        return;
    examination->finding = FINDING_FAILS;
    if (make_plan(examining, examination, &error) < 0) {
        examination->fault = xstrdup(error.message);
        examination->said = xstrdup("");
        return;
    }
    examining->under_way++;
    examination->probe = probe_start(&examining->loop, examination->plan, on_probed, patient);
}

/* Versions are asked for last: that may take some time, and nobody waits for an adapter any more. */
static void close_file(struct examination *examination)
{
    if (examination->found.path != NULL)
        examination->version = adapter_version(examination->entry, &examination->found, examination->answer);
    examination->answer = NULL;
    probe_free(examination->probe);
    examination->probe = NULL;
}

/* Whoever waits for it no longer leaves no file behind. */
static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    struct examining *examining = handle->data;
    examining->interrupted = true;
    loop_stop(&examining->loop);
}

static void catch_signals(struct examining *examining)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        uv_signal_init(&examining->loop.uv, &examining->signals[i]);
        examining->signals[i].data = examining;
        uv_signal_start(&examining->signals[i], on_signal, numbers[i]);
    }
}

static void run(struct examining *examining, struct examination *list, size_t count)
{
    struct patient *patients = xcalloc(count, sizeof *patients);
    for (size_t i = 0; i < count; i++) {
        patients[i] = (struct patient){ examining, &list[i] };
        begin(examining, &patients[i]);
    }
    if (examining->under_way > 0)
        loop_run(&examining->loop);
    for (size_t i = 0; i < count; i++)
        close_file(&list[i]);
    free(patients);
}

/* ---- the interface ---- */

int examine(struct examination *list, size_t count, const struct examination_place *place, struct error *ret_error)
{
    struct examining examining = { .place = place };
    if (write_empty_program(&examining, ret_error) < 0)
        return -1;
    int result =
        loop_init(&examining.loop) < 0 ? error_set(ret_error, ERROR_SPAWN, "no event loop: out of descriptors or memory") : 0;
    if (result == 0) {
        catch_signals(&examining);
        run(&examining, list, count);
        loop_done(&examining.loop);
    }
    if (examining.interrupted)
        result = error_set(ret_error, ERROR_CANCELLED, "interrupted");
    remove_empty_program(&examining);
    return result;
}

void examination_done(struct examination *examination)
{
    adapter_found_done(&examination->found);
    launch_plan_free(examination->plan);
    free(examination->version);
    free(examination->fault);
    free(examination->error);
    free(examination->said);
    *examination = (struct examination){ 0 };
}
