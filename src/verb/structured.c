/* The structured side of results: complete, never cut. Field names as declared in verbs/. */
#include "verb/completion.h"
#include "verb/evaluation.h"
#include "verb/exception_details.h"
#include "verb/internal.h"
#include "verb/set_variable.h"
#include "verb/value_tree.h"

#include <string.h>

static void add_adapter_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const struct adapter_text *text)
{
    if (text->data != NULL)
        json_add_text(doc, object, key, text->data, text->len);
}

static void add_line(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, int64_t value)
{
    json_add_int(doc, object, key, value < 0 ? 0 : value);
}

void structured_snapshot(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct named *named)
{
    const struct session *session = named->session;
    const struct stop *stop = session_stop(session);
    int64_t exit_code;
    json_add_string(doc, root, "session", session_name(session));
    json_add_string(doc, root, "state", session_state_name(session_state(session)));
    json_add_string(doc, root, "adapter_id", session_adapter_id(session));
    if (session_adapter_id(session) != NULL)
        json_add_string(doc, root, "profile_id", named->profile);
    if (stop != NULL) {
        json_add_string(doc, root, "stop_reason", stop->reason);
        json_add_int(doc, root, "stop_number", stop->number);
        if (stop->has_thread)
            json_add_int(doc, root, "thread_id", stop->thread_id);
    }
    if (session_state(session) == SESSION_TERMINATED && session_exit_code(session, &exit_code))
        json_add_int(doc, root, "exit_code", exit_code);
    if (session_state(session) == SESSION_TERMINATED && session_exit_signal(session) != 0)
        json_add_int(doc, root, "exit_signal", session_exit_signal(session));
    json_add_string(doc, root, "termination_reason", session_termination_reason(session));
    if (session_state(session) != SESSION_IDLE)
        json_add_string(doc, root, "attached_to", session_attached_to(session));
}

void structured_process(struct call *call)
{
    yyjson_mut_val *root = structured_root(call);
    const struct session *session = call_session(call);
    if (root == NULL || session_state(session) == SESSION_IDLE)
        return;
    if (session_pid(session) > 0)
        json_add_int(call->result.structured, root, "process_id", session_pid(session));
    const struct process_facts *facts = session_process(session);
    if (facts->name != NULL && facts->name[0] != '\0')
        json_add_string(call->result.structured, root, "process_name", facts->name);
    json_add_string(call->result.structured, root, "start_method", facts->start_method);
}

yyjson_mut_val *structured_frame(yyjson_mut_doc *doc, const struct frame *frame)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_int(doc, object, "id", frame->handle);
    json_add_string(doc, object, "name", frame->name);
    add_line(doc, object, "line", frame->line);
    add_line(doc, object, "column", frame->column);
    json_add_string(doc, object, "source_name", frame->source_name);
    json_add_string(doc, object, "source_path", frame->source_path);
    return object;
}

/* Where it is in memory, and where it comes from. */
static void add_places(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct variable *variable)
{
    json_add_string(doc, object, "memory_reference", variable->memory_reference);
    if (variable->value_location_handle > 0)
        json_add_int(doc, object, "location_reference", variable->value_location_handle);
}

static yyjson_mut_val *variable_value(yyjson_mut_doc *doc, const struct variable *variable)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    add_adapter_text(doc, object, "name", &variable->name);
    add_adapter_text(doc, object, "value", &variable->value);
    json_add_int(doc, object, "variables_reference", variable->handle);
    add_adapter_text(doc, object, "type", &variable->type);
    json_add_string(doc, object, "evaluate_name", variable->evaluate_name);
    add_places(doc, object, variable);
    return object;
}

static yyjson_mut_val *variable_list(yyjson_mut_doc *doc, const struct variable *variables, size_t count)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    for (size_t i = 0; i < count; i++)
        yyjson_mut_arr_append(list, variable_value(doc, &variables[i]));
    return list;
}

void structured_frames(struct call *call, const struct frame *frames, size_t count)
{
    yyjson_mut_val *list = structured_list(call, "stack_frames");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++)
        yyjson_mut_arr_append(list, structured_frame(doc, &frames[i]));
}

void structured_variables(struct call *call, const char *key, const struct variable *variables, size_t count)
{
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL)
        json_add_value(call->result.structured, root, key, variable_list(call->result.structured, variables, count));
}

void structured_scopes(struct call *call, const struct scope *scopes, size_t count)
{
    yyjson_mut_val *list = structured_list(call, "scopes");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, object, "name", scopes[i].name);
        json_add_int(doc, object, "variables_reference", scopes[i].handle);
        json_add_bool(doc, object, "expensive", scopes[i].expensive);
        if (scopes[i].named >= 0)
            json_add_int(doc, object, "named", scopes[i].named);
        if (scopes[i].indexed >= 0)
            json_add_int(doc, object, "indexed", scopes[i].indexed);
        if (scopes[i].line > 0)
            json_add_int(doc, object, "line", scopes[i].line);
        if (scopes[i].end_line > 0)
            json_add_int(doc, object, "end_line", scopes[i].end_line);
        if (scopes[i].expanded)
            json_add_value(doc, object, "variables", variable_list(doc, scopes[i].variables, scopes[i].count));
    }
}

/* A flat list, since a schema that contains itself is none that hosts take: depth and order make the tree. */
static void add_tree_node(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct value_tree *tree, size_t index)
{
    static const char *const ends[] = {
        [TREE_CUT] = "cut",
        [TREE_CYCLE] = "cycle",
        [TREE_FAILED] = "failed",
        [TREE_SCOPE] = "scope",
    };
    const struct tree_node *node = &tree->nodes[index];
    yyjson_mut_val *object = variable_value(doc, &node->variable);
    json_add_int(doc, object, "depth", node->depth);
    if (node->path != NULL && node->path[0] != '\0')
        json_add_string(doc, object, "path", node->path);
    if (node->end == TREE_OPEN)
        json_add_int(doc, object, "members", (int64_t)node->total);
    if (node->end < COUNT_OF(ends) && ends[node->end] != NULL)
        json_add_string(doc, object, "not_opened", ends[node->end]);
    yyjson_mut_arr_append(list, object);
    for (size_t i = 0; i < node->count && node->depth < LIMIT_TREE_DEPTH; i++)
        add_tree_node(doc, list, tree, node->first + i);
}

void structured_tree(struct call *call, const struct value_tree *tree)
{
    yyjson_mut_val *list = structured_list(call, "tree");
    for (size_t i = 0; list != NULL && i < tree->roots; i++)
        add_tree_node(call->result.structured, list, tree, i);
}

void structured_evaluation(struct call *call, const struct variable *evaluation)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    add_adapter_text(doc, object, "result", &evaluation->value);
    json_add_int(doc, object, "variables_reference", evaluation->handle);
    add_adapter_text(doc, object, "type", &evaluation->type);
    add_places(doc, object, evaluation);
    json_add_value(doc, root, "evaluation", object);
}

void structured_choices(struct call *call, const char *key, const struct choice *choices, size_t count)
{
    yyjson_mut_val *list = structured_list(call, key);
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_int(doc, object, "target_id", choices[i].handle);
        json_add_string(doc, object, "label", choices[i].label);
        if (choices[i].line > 0)
            json_add_int(doc, object, "line", choices[i].line);
        if (choices[i].column > 0)
            json_add_int(doc, object, "column", choices[i].column);
    }
}

void structured_evaluations(struct call *call, const struct evaluation *rows, size_t count)
{
    yyjson_mut_val *list = structured_list(call, "evaluations");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, object, "expression", rows[i].expression);
        if (rows[i].evaluated) {
            add_adapter_text(doc, object, "result", &rows[i].value.value);
            json_add_int(doc, object, "variables_reference", rows[i].value.handle);
            add_adapter_text(doc, object, "type", &rows[i].value.type);
        }
        json_add_string(doc, object, "error", rows[i].failure);
    }
}

void structured_exception(struct call *call, const struct exception_details *details)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    json_add_string(doc, root, "exception_id", details->id);
    json_add_string(doc, root, "description", details->description);
    json_add_string(doc, root, "break_mode", details->break_mode);
    yyjson_mut_val *list = structured_list(call, "exceptions");
    for (size_t i = 0; i < details->count; i++) {
        const struct exception_cause *cause = &details->causes[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_int(doc, object, "depth", cause->depth);
        json_add_string(doc, object, "type", cause->type_name);
        json_add_string(doc, object, "message", cause->message);
        json_add_string(doc, object, "evaluate_name", cause->evaluate_name);
        json_add_string(doc, object, "stack_trace", cause->stack_trace);
    }
}

void structured_threads(struct call *call, const struct session_threads *threads)
{
    static const char *const states[] = { "running", "stopped", "unknown" };
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_val *list = structured_list(call, "threads");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; i < threads->count; i++) {
        const struct session_thread *thread = &threads->list[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_int(doc, object, "thread_id", thread->id);
        json_add_string(doc, object, "name", thread->name);
        json_add_string(doc, object, "child_session", thread->child);
        json_add_string(doc, object, "state", states[thread->state]);
        json_add_bool(doc, object, "focused", thread->focused);
        json_add_string(doc, object, "failure", thread->failure);
        if (thread->frame_count > 0)
            json_add_value(doc, object, "top_frame", structured_frame(doc, &thread->frames[0]));
        if (thread->own > 0)
            json_add_value(doc, object, "own_frame", structured_frame(doc, &thread->frames[thread->own]));
    }
    json_add_int(doc, root, "total_threads", (int64_t)threads->total);
    json_add_string(doc, root, "not_all", threads->failure);
}

void structured_set_variable(struct call *call, const struct set_outcome *outcome)
{
    static const char *const ways[] = { "setVariable", "setExpression", "evaluate" };
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    json_add_string(doc, root, "way", ways[outcome->way]);
    json_add_string(doc, root, "was", outcome->was);
    if (outcome->trouble != NULL) {
        json_add_string(doc, root, "not_read_back", outcome->trouble);
        return;
    }
    struct variable variable = outcome->variable;
    variable.name = (struct adapter_text){ (char *)outcome->target, strlen(outcome->target) };
    json_add_value(doc, root, "variable", variable_value(doc, &variable));
}

void structured_completions(struct call *call, const struct completion *items, size_t count, size_t total)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_val *list = structured_list(call, "completions");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, object, "label", items[i].label);
        json_add_string(doc, object, "text", items[i].text);
        json_add_string(doc, object, "type", items[i].type);
        json_add_string(doc, object, "detail", items[i].detail);
        if (items[i].has_start) {
            json_add_int(doc, object, "start", items[i].start);
            json_add_int(doc, object, "length", items[i].length);
        }
    }
    json_add_int(doc, root, "total", (int64_t)total);
}

/* ---- stops ---- */

static void add_exception(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct exception_info *exception)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_string(doc, object, "id", exception->id);
    json_add_string(doc, object, "type", exception->type_name);
    json_add_string(doc, object, "message", exception->message);
    json_add_string(doc, object, "description", exception->description);
    json_add_value(doc, root, "exception", object);
}

/* As many lines as the text shows: two around the stop, all that were read with context full. */
static void add_excerpt(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct source_excerpt *excerpt, int64_t line, bool full)
{
    int64_t around = full ? INT64_MAX / 2 : 2;
    yyjson_mut_val *lines = yyjson_mut_arr(doc);
    int64_t first = 0;
    for (size_t i = 0; i < excerpt->count; i++) {
        int64_t number = excerpt->first_line + (int64_t)i;
        if (number < line - around || number > line + around)
            continue;
        if (first == 0)
            first = number;
        yyjson_mut_arr_append(lines, json_new_string(doc, excerpt->lines[i], strlen(excerpt->lines[i])));
    }
    if (first == 0)
        return;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_int(doc, object, "first_line", first);
    json_add_value(doc, object, "lines", lines);
    json_add_value(doc, root, "source_excerpt", object);
}

static void add_packet(struct call *call, yyjson_mut_val *root, const struct packet *packet)
{
    yyjson_mut_doc *doc = call->result.structured;
    if (packet->has_exception)
        add_exception(doc, root, &packet->exception);
    const struct stop *stop = session_stop(call_session(call));
    if (stop->frame_count > 0)
        add_excerpt(doc, root, &packet->excerpt, stop->frames[packet->frame_index].line, call_context(call) == CONTEXT_FULL);
    yyjson_mut_val *locals = yyjson_mut_arr(doc);
    for (size_t i = 0; i < packet->scope_count; i++) {
        const struct scope *scope = &packet->scopes[i];
        for (size_t k = 0; scope->expanded && locals_scope_counts(scope) && k < scope->count; k++)
            if (!scope->variables[k].group)
                yyjson_mut_arr_append(locals, variable_value(doc, &scope->variables[k]));
    }
    json_add_value(doc, root, "locals", locals);
}

void structured_stop(struct call *call)
{
    yyjson_mut_val *root = structured_root(call);
    const struct stop *stop = session_stop(call_session(call));
    if (root == NULL || stop == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    json_add_string(doc, root, "stop_description", stop->description);
    if (stop->has_hit_ids) {
        yyjson_mut_val *ids = yyjson_mut_arr(doc);
        for (size_t i = 0; i < stop->hit_count; i++)
            yyjson_mut_arr_add_sint(doc, ids, stop->hit_ids[i]);
        json_add_value(doc, root, "hit_breakpoint_ids", ids);
    }
    structured_hits(call, stop);
    json_add_string(doc, root, "child_session", stop->child);
    if (stop->frame_count > 0)
        json_add_value(doc, root, "top_frame", structured_frame(doc, &stop->frames[0]));
    const struct packet *packet = named_packet(call->named);
    if (packet != NULL && packet->frame_index > 0)
        json_add_value(doc, root, "shown_frame", structured_frame(doc, &stop->frames[packet->frame_index]));
    if (packet != NULL)
        add_packet(call, root, packet);
}

void structured_note(struct call *call)
{
    yyjson_mut_val *root = structured_root(call);
    bool waiting = session_state(call_session(call)) == SESSION_RUNNING || session_state(call_session(call)) == SESSION_LAUNCHING;
    if (root != NULL && waiting && call->note == WAIT_NOTE_CANCELLED && call->verb->runs_program)
        json_add_bool(call->result.structured, root, "execution_wait_cancelled", true);
}

void structured_rejected_children(struct call *call, const struct rejected_child *children, size_t count)
{
    yyjson_mut_val *list = structured_list(call, "rejected_child_sessions");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, object, "message", children[i].message);
        json_add_string(doc, object, "type", children[i].type);
        json_add_string(doc, object, "name", children[i].name);
        json_add_string(doc, object, "target_id", children[i].target_id);
    }
}

/* ---- lines and output ---- */

void structured_strings(struct call *call, const char *key, const struct buffer *lines)
{
    yyjson_mut_val *list = lines->len == 0 ? NULL : structured_list(call, key);
    yyjson_mut_doc *doc = call->result.structured;
    for (const char *line = lines->data; list != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        yyjson_mut_arr_append(list, json_new_string(doc, line, (size_t)(strchr(line, '\n') - line)));
}

/* Who wrote which part, told only where it was not all stdout. */
static void add_parts(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct output *output)
{
    static const char *const streams[] = { "stdout", "stderr", "debugger" };
    bool mixed = false;
    for (size_t i = 0; i < output->part_count; i++)
        mixed = mixed || output->parts[i].stream != OUTPUT_STDOUT;
    if (!mixed)
        return;
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    size_t at = 0;
    for (size_t i = 0; i < output->part_count; i++) {
        yyjson_mut_val *part = yyjson_mut_obj(doc);
        json_add_string(doc, part, "stream", streams[output->parts[i].stream]);
        json_add_text(doc, part, "text", output->bytes + at, output->parts[i].len);
        yyjson_mut_arr_append(list, part);
        at += output->parts[i].len;
    }
    json_add_value(doc, root, "output_parts", list);
}

void structured_output(struct call *call, const struct output *output)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    json_add_text(doc, root, "output", output->bytes, output->len);
    json_add_int(doc, root, "output_discarded_bytes", (int64_t)output->discarded);
    add_parts(doc, root, output);
}
