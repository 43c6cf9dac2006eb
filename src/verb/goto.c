/* dap_goto: the program goes on at another line without running what is between. */
#include "verb/internal.h"

#include "base/path.h"

#define TARGETS_MOST 50

static void go(struct call *call, int64_t adapter_target)
{
    struct resume resume = call_resume_arguments(call, RESUME_GOTO);
    resume.has_target = true;
    resume.target = adapter_target;
    call_resume(call, &resume);
}

static void refuse(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_ARGUMENT,
              "/line: the adapter knows no place to go on at in line %lld; a jump stays within the function that the program "
              "stands in, on a "
              "line that has code",
              (long long)json_int_or(call->arguments, "line", 0));
    call_fail(call, &error);
}

static void on_targets(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct choice choices[TARGETS_MOST];
    if (!call_answered(call, answer))
        return;
    struct session *session = call_session(call);
    size_t count = read_choices(answer->body, choices, TARGETS_MOST);
    if (count == 0) {
        refuse(call);
        return;
    }
    if (count == 1) {
        go(call, choices[0].adapter_id);
        return;
    }
    for (size_t i = 0; i < count; i++)
        choices[i].handle = session_goto_target_handle(session, choices[i].adapter_id);
    (void)buffer_add(&call->result.text, "Nothing was done yet: the line has several places to go on at.\n");
    render_choices(&call->result.text, "Goto targets", choices, count, "dap_goto", call_session_name(call));
    structured_choices(call, "targets", choices, count);
    call_succeed(call);
}

/* The file that is named, else the one that the program stands in. */
static char *source_path(const struct call *call)
{
    const char *named = json_string(call->arguments, "file_path");
    const struct stop *stop = session_stop(call_session(call));
    if (named != NULL)
        return path_absolute(named, call->world->project);
    return stop != NULL && stop->frame_count > 0 ? xstrdup(stop->frames[0].source_path) : NULL;
}

static yyjson_mut_doc *targets_arguments(const struct call *call, const char *path)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *source = yyjson_mut_obj(doc);
    int64_t column;
    json_add_string(doc, source, "name", path_name(path));
    json_add_string(doc, source, "path", path);
    json_add_value(doc, arguments, "source", source);
    json_add_int(doc, arguments, "line", json_int_or(call->arguments, "line", 1));
    if (json_int(call->arguments, "column", &column))
        json_add_int(doc, arguments, "column", column);
    return doc;
}

void verb_goto(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t handle, target;
    if (!call_requires(call, "supportsGotoTargetsRequest",
                       "dap_evaluate can do what the skipped lines would, and dap_restart runs the program again"))
        return;
    if (json_int(call->arguments, "target_id", &handle)) {
        if (session_resolve_goto_target(call_session(call), handle, &target, &error) < 0)
            call_give_up(call, &error);
        else
            go(call, target);
        return;
    }
    AUTO_FREE char *path = source_path(call);
    if (path != NULL && !path_is_file(path))
        error_set(&error, ERROR_ARGUMENT, "/file_path: there is no file %s", path);
    else if (path == NULL)
        error_set(&error, ERROR_ARGUMENT, "/file_path: the program stands in no source file; name the one to go on in");
    if (error.kind != ERROR_NONE)
        call_fail(call, &error);
    else
        call_request(call, "gotoTargets", targets_arguments(call, path), on_targets);
}
