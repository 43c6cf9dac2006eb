/* The lines of results: what docs/results.md shows, and what nobody should ever see. */
#include "verb/render.h"
#include "verb/render_memory.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "verb/completion.h"
#include "verb/evaluation.h"
#include "verb/exception_details.h"
#include "verb/hint.h"
#include "verb/locals.h"
#include "verb/set_variable.h"
#include "verb/source_excerpt.h"
#include "verb/spill.h"
#include "verb/value_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define PROJECT "/w"

/* ---- the session that the desired breakpoints are asked of ---- */

struct session {
    bool active, terminated;
    const struct breakpoint_list *files;
    size_t count;
};

enum session_state session_state(const struct session *session)
{
    return session->active ? SESSION_STOPPED : session->terminated ? SESSION_TERMINATED : SESSION_IDLE;
}

bool session_active(const struct session *session)
{
    return session->active;
}

const char *session_attached_to(const struct session *session)
{
    (void)session;
    return NULL;
}

size_t session_breakpoint_list_count(const struct session *session)
{
    return session->count;
}

const struct breakpoint_list *session_breakpoint_list(const struct session *session, size_t index)
{
    return &session->files[index];
}

bool session_find_breakpoint_number(const struct session *session, int64_t number, const struct breakpoint_list **ret_list,
                                    size_t *ret_index)
{
    for (size_t i = 0; i < session->count; i++) {
        for (size_t k = 0; k < session->files[i].count; k++) {
            if (session->files[i].desired[k].number == number) {
                *ret_list = &session->files[i];
                *ret_index = k;
                return true;
            }
        }
    }
    return false;
}

unsigned session_breakpoint_emulated(const struct session *session, const struct desired_breakpoint *breakpoint)
{
    return session->active && breakpoint->number == 1 ? EMULATED_HITS : 0;
}

/* ---- making of values ---- */

static struct adapter_text text(const char *bytes)
{
    return (struct adapter_text){ .data = (char *)bytes, .len = bytes ? strlen(bytes) : 0 };
}

static struct variable variable(const char *name, const char *type, const char *value, int64_t handle)
{
    return (struct variable){
        .name = text(name),
        .type = text(type),
        .value = text(value),
        .adapter_reference = handle,
        .handle = handle,
        .named = -1,
        .indexed = -1,
    };
}

static struct scope scope(const char *name, int64_t handle, struct variable *variables, size_t count)
{
    return (struct scope){
        .name = (char *)name, .handle = handle, .expanded = true, .variables = variables, .count = count, .total = count
    };
}

static struct frame frame(const char *name, const char *path, int64_t line, int64_t column, int64_t handle)
{
    return (struct frame){ .name = (char *)name, .source_path = (char *)path, .line = line, .column = column, .handle = handle };
}

static struct frame hinted(struct frame of, const char *hint)
{
    of.hint = (char *)hint;
    return of;
}

static struct stop stop(const char *reason, struct frame *frames, size_t count)
{
    return (struct stop){
        .number = 3,
        .reason = (char *)reason,
        .has_thread = true,
        .thread_id = 1,
        .frames = frames,
        .frame_count = count,
        .total_frames = (int64_t)count,
        .settled = true,
    };
}

static char *cart_lines[] = { (char *)"    for item in items:", (char *)"        n += item.qty", (char *)"    return price / n" };
static const struct source_excerpt cart_excerpt = { .first_line = 86, .lines = cart_lines, .count = 3 };

static void add_stopped_head(struct buffer *out, const struct stop *of)
{
    render_head(out, &(struct head_view){ .state = SESSION_STOPPED, .stop = of, .project = PROJECT });
}

static void add_head(struct buffer *out, enum session_state state, enum wait_note note, uint64_t waited_ms, const char *session)
{
    render_head(out, &(struct head_view){ .state = state, .note = note, .waited_ms = waited_ms, .session = session });
}

/* ---- the examples of docs/results.md ---- */

static void example_head_breakpoint(struct buffer *out)
{
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001) };
    int64_t ids[] = { 2, 5 };
    struct stop at = stop("breakpoint", frames, 1);
    at.thread_id = 4;
    at.description = (char *)"Hit by another client";
    at.has_hit_ids = true;
    at.hit_ids = ids;
    at.hit_count = 2;
    add_stopped_head(out, &at);
}

static void example_head_hits(struct buffer *out)
{
    struct desired_breakpoint lines[] = { { .line = 88, .number = 3 } };
    struct desired_breakpoint functions[] = { { .kind = BREAKPOINT_FUNCTION, .name = (char *)"total", .number = 5 } };
    struct breakpoint_list lists[] = { { .path = (char *)"/w/lib/cart.py", .desired = lines, .count = 1 },
                                       { .kind = BREAKPOINT_FUNCTION, .desired = functions, .count = 1 } };
    struct session session = { .active = true, .files = lists, .count = 2 };
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001) };
    int64_t ids[] = { 2, 5 }, numbers[] = { 3, 5 };
    struct stop at = stop("breakpoint", frames, 1);
    at.has_hit_ids = true;
    at.hit_ids = ids;
    at.hit_numbers = numbers;
    at.hit_count = at.number_count = 2;
    at.description = (char *)"breakpoint 2.1"; /* the debugger's number, which is not ours */
    render_head(out, &(struct head_view){ .state = SESSION_STOPPED, .stop = &at, .of = &session, .project = PROJECT });
}

static void example_head_no_source(struct buffer *out)
{
    struct frame frames[] = { frame("__read", NULL, 0, 0, 30001) };
    struct stop at = stop("pause", frames, 1);
    add_stopped_head(out, &at);
}

static void example_head_no_frames(struct buffer *out)
{
    struct stop at = stop("pause", NULL, 0);
    at.frames_failure = (char *)"thread is not suspended";
    add_stopped_head(out, &at);
}

static void example_head_interrupted(struct buffer *out)
{
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001) };
    struct stop at = stop("breakpoint", frames, 1);
    at.thread_id = 4;
    at.step_interrupted = true;
    at.step_thread = 1;
    add_stopped_head(out, &at);
}

static void example_head_late_step(struct buffer *out)
{
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001) };
    struct stop at = stop("step", frames, 1);
    at.thread_id = 1;
    at.step_late = true;
    add_stopped_head(out, &at);
}

static void example_head_running(struct buffer *out)
{
    add_head(out, SESSION_RUNNING, WAIT_NOTE_NONE, 0, NULL);
}

static void example_head_timed_out(struct buffer *out)
{
    add_head(out, SESSION_RUNNING, WAIT_NOTE_TIMED_OUT, 30000, NULL);
}

static void example_head_pause_pending(struct buffer *out)
{
    struct head_view view = { .state = SESSION_RUNNING, .note = WAIT_NOTE_TIMED_OUT, .waited_ms = 10000, .pausing = true };
    render_head(out, &view);
}

static void example_head_single_thread(struct buffer *out)
{
    struct head_view view = {
        .state = SESSION_RUNNING, .note = WAIT_NOTE_TIMED_OUT, .waited_ms = 30000, .single_thread = true, .running_thread = 4
    };
    render_head(out, &view);
}

static void example_head_cancelled(struct buffer *out)
{
    add_head(out, SESSION_RUNNING, WAIT_NOTE_CANCELLED, 0, NULL);
}

static void example_head_not_waited(struct buffer *out)
{
    add_head(out, SESSION_RUNNING, WAIT_NOTE_TIMED_OUT, 0, "worker");
}

static void example_head_launching(struct buffer *out)
{
    add_head(out, SESSION_LAUNCHING, WAIT_NOTE_TIMED_OUT, 120000, NULL);
}

static void example_head_terminated(struct buffer *out)
{
    render_head(out,
                &(struct head_view){
                    .state = SESSION_TERMINATED, .has_exit_code = true, .exit_code = 0, .termination_reason = "Debuggee exited" });
}

static void example_head_idle(struct buffer *out)
{
    add_head(out, SESSION_IDLE, WAIT_NOTE_NONE, 0, NULL);
}

static void example_packet_exception(struct buffer *out)
{
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001), frame("checkout", "/w/shop.py", 41, 0, 30002),
                              frame("main", "/w/shop.py", 60, 0, 30003) };
    struct stop at = stop("exception", frames, 3);
    struct variable variables[] = {
        variable("special variables", NULL, "", 30010),
        variable("self", "Cart", "<cart.Cart object at 0x7f5a>", 30005),
        variable("price", "float", "30.0", 0),
        variable("rate", "float", "0.19", 0),
        variable("n", "int", "0", 0),
        variable("items", "list", "[]", 30004),
        variable("tax", "NoneType", "None", 0),
        variable("currency", "str", "'EUR'", 0),
        variable("rounding", "str", "'half-up'", 0),
        variable("when", "datetime", "datetime(2026, 1, 1)", 30006),
        variable("country", "str", "'DE'", 0),
        variable("coupon", "NoneType", "None", 0),
    };
    variables[0].group = true;
    struct scope scopes[] = { scope("Locals", 30009, variables, COUNT_OF(variables)),
                              { .name = (char *)"Globals", .handle = 30011 } };
    struct exception_info info = {
        .id = (char *)"ZeroDivisionError",
        .description = (char *)"division by zero",
        .break_mode = (char *)"unhandled",
        .type_name = (char *)"ZeroDivisionError",
        .message = (char *)"division by zero",
    };
    add_stopped_head(out, &at);
    render_packet(out, &(struct packet_view){ .stop = &at,
                                              .scopes = scopes,
                                              .scope_count = 2,
                                              .exception = &info,
                                              .excerpt = &cart_excerpt,
                                              .context = CONTEXT_BRIEF,
                                              .project = PROJECT });
}

static void example_packet_step(struct buffer *out)
{
    struct frame frames[] = { frame("total", "/w/lib/cart.py", 88, 5, 30001),
                              hinted(frame("wrapper", "/lib/site/decorators.py", 7, 0, 30002), "subtle"),
                              frame("main", "/w/shop.py", 60, 0, 30003) };
    struct stop at = stop("step", frames, 3);
    at.total_frames = 41;
    at.more_frames = true;
    char note[2003] = "";
    memset(note, 'a', 2002);
    note[0] = note[2001] = '\'';
    struct variable earlier[] = { variable("price", "float", "30.0", 0), variable("n", "int", "0", 0),
                                  variable("note", "str", "''", 0) };
    memset(earlier[2].value.data = (char[101]){ 0 }, 'b', 100);
    earlier[2].value.len = 100;
    struct variable variables[] = { variable("price", "float", "30.0", 0), variable("n", "int", "3", 0),
                                    variable("note", "str", note, 0), variable("item", "Item", "Item(qty=3)", 30004) };
    struct scope before[] = { scope("Locals", 20009, earlier, 3) };
    struct scope scopes[] = { scope("Locals", 30009, variables, 4) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frames[0], before, 1);
    add_stopped_head(out, &at);
    render_packet(out, &(struct packet_view){ .stop = &at,
                                              .scopes = scopes,
                                              .scope_count = 1,
                                              .excerpt = &cart_excerpt,
                                              .before = &memory,
                                              .context = CONTEXT_BRIEF,
                                              .project = PROJECT });
    locals_memory_done(&memory);
}

static void example_packet_unread(struct buffer *out)
{
    struct frame frames[] = { frame("parse", "/w/gen/parser.c", 9, 0, 10001) };
    struct stop at = stop("step", frames, 1);
    struct scope scopes[] = { { .name = (char *)"Locals", .failure = (char *)"optimized out" },
                              { .name = (char *)"Closure", .handle = 10002 } };
    struct source_excerpt excerpt = { .why_none = (char *)"is not on this machine" };
    add_stopped_head(out, &at);
    render_packet(
        out,
        &(struct packet_view){
            .stop = &at, .scopes = scopes, .scope_count = 2, .excerpt = &excerpt, .context = CONTEXT_BRIEF, .project = PROJECT });
}

static void example_packet_full(struct buffer *out)
{
    struct frame frames[] = { frame("sum", "/w/a.c", 7, 0, 20001), frame("main", "/w/a.c", 12, 0, 20003),
                              frame("_start", "crt1.S", 115, 0, 20004) };
    struct stop at = stop("breakpoint", frames, 3);
    struct variable variables[] = { variable("n", "int", "4", 0), variable("total", "int", "3", 0) };
    struct scope scopes[] = { scope("Locals", 20005, variables, 2),
                              { .name = (char *)"Registers", .hint = (char *)"registers", .handle = 20002 } };
    char *lines[] = { (char *)"\ttotal += n;" };
    struct source_excerpt excerpt = { .first_line = 7, .lines = lines, .count = 1 };
    add_stopped_head(out, &at);
    render_packet(
        out,
        &(struct packet_view){
            .stop = &at, .scopes = scopes, .scope_count = 2, .excerpt = &excerpt, .context = CONTEXT_FULL, .project = PROJECT });
}

static struct desired_breakpoint desired[] = { { .line = 12 }, { .line = 9 }, { .line = 20 }, { .line = 90 }, { .line = 95 } };

static void example_breakpoints(struct buffer *out)
{
    desired[3].condition = (char *)"n == 0";
    struct bound_breakpoint bound[] = {
        { .state = BREAKPOINT_BOUND,
          .has_id = true,
          .id = 3,
          .has_line = true,
          .line = 12,
          .source_path = (char *)"/real/w/src/a.c" },
        { .state = BREAKPOINT_BOUND, .has_id = true, .id = 4, .has_line = true, .line = 11 },
        { .state = BREAKPOINT_BOUND, .has_id = true, .id = 5, .hit = true },
        { .state = BREAKPOINT_PENDING, .has_id = true, .id = 6 },
        { .state = BREAKPOINT_FAILED, .message = (char *)"no code here" },
    };
    struct breakpoint_list file = { .path = (char *)"/w/src/a.c", .desired = desired, .bound = bound, .count = 5 };
    struct session session = { .active = true, .files = &file, .count = 1 };
    render_breakpoints(out, &file);
    render_desired(out, &session, PROJECT, true);
}

static void example_breakpoints_all(struct buffer *out)
{
    struct desired_breakpoint lines[] = {
        { .line = 12, .number = 1, .condition = (char *)"n == 0", .hit_condition = (char *)">= 3" },
        { .line = 9, .number = 2 },
        { .line = 20, .column = 7, .number = 3 },
        { .line = 95, .number = 4, .disabled = true, .log_message = (char *)"at {n}" },
    };
    struct bound_breakpoint places[] = {
        { .state = BREAKPOINT_BOUND, .has_line = true, .line = 12, .hit = true, .counts = { .arrivals = 1000, .stops = 1 } },
        { .state = BREAKPOINT_BOUND, .has_line = true, .line = 11, .hit = true },
        { .state = BREAKPOINT_BOUND, .has_line = true, .line = 20 },
        { 0 }
    };
    struct desired_breakpoint function = { .kind = BREAKPOINT_FUNCTION, .name = (char *)"total", .number = 5 };
    struct desired_breakpoint data[] = {
        { .kind = BREAKPOINT_DATA,
          .name = (char *)"n",
          .access_type = (char *)"write",
          .description = (char *)"4 bytes at 0x7f10",
          .number = 6 },
        { .kind = BREAKPOINT_DATA, .name = (char *)"sum", .access_type = (char *)"write", .number = 7, .expired = true },
    };
    struct desired_breakpoint address = { .kind = BREAKPOINT_INSTRUCTION, .name = (char *)"0x401136", .offset = 8, .number = 8 };
    struct desired_breakpoint exceptions[] = { { .kind = BREAKPOINT_EXCEPTION, .name = (char *)"uncaught", .number = 9 },
                                               { .kind = BREAKPOINT_EXCEPTION, .name = (char *)"nonsense", .number = 10 } };
    struct bound_breakpoint unknown = { 0 };
    struct bound_breakpoint watched[] = { { .state = BREAKPOINT_BOUND }, { 0 } };
    struct bound_breakpoint there = {
        .state = BREAKPOINT_BOUND, .has_line = true, .line = 30, .source_path = (char *)"/w/src/b.c"
    };
    struct bound_breakpoint filters[] = { { .state = BREAKPOINT_BOUND },
                                          { .state = BREAKPOINT_FAILED, .message = (char *)"the adapter offers no such\nfilter" } };
    struct breakpoint_list lists[] = {
        { .path = (char *)"/w/src/a.c", .desired = lines, .bound = places, .count = 4 },
        { .kind = BREAKPOINT_FUNCTION, .desired = &function, .bound = &unknown, .count = 1 },
        { .kind = BREAKPOINT_DATA, .desired = data, .bound = watched, .count = 2 },
        { .kind = BREAKPOINT_INSTRUCTION, .desired = &address, .bound = &there, .count = 1 },
        { .kind = BREAKPOINT_EXCEPTION, .desired = exceptions, .bound = filters, .count = 2 },
    };
    struct session session = { .active = true, .files = lists, .count = 5 };
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            render_breakpoint(out, &session, &lists[i], k, PROJECT);
}

static void example_breakpoints_saved(struct buffer *out)
{
    struct desired_breakpoint list[] = { { .line = 12 }, { .line = 90, .condition = (char *)"n == 0" } };
    struct bound_breakpoint stale[] = { { .state = BREAKPOINT_FAILED }, { .state = BREAKPOINT_PENDING } };
    struct breakpoint_list file = { .path = (char *)"/w/src/a.c", .desired = list, .bound = stale, .count = 2 };
    struct session session = { .active = false, .files = &file, .count = 1 };
    render_breakpoints_saved(out);
    render_desired(out, &session, PROJECT, true);
}

static void example_breakpoints_none(struct buffer *out)
{
    render_breakpoints(out, NULL);
    render_desired(out, &(struct session){ .active = true }, PROJECT, true);
}

static void example_stack(struct buffer *out)
{
    struct frame frames[] = {
        frame("parse", "/w/src/p.c", 10, 2, 30001),
        hinted(frame("a", "/lib/x.c", 1, 1, 30002), "subtle"),
        hinted(frame("b", "/lib/x.c", 1, 1, 30003), "label"),
        frame("c", "/lib/x.c", 1, 1, 30004),
        hinted(frame("<boundary>", NULL, 0, 0, 30005), "normal"),
        frame("main", "/w/src/main.c", 41, 5, 30006),
    };
    frames[3].source_hint = (char *)"deemphasize";
    render_stack(out, &(struct stack_view){ .frames = frames, .count = 6, .total = 41, .more = true, .project = PROJECT });
}

static void example_scopes(struct buffer *out)
{
    struct variable variables[] = { variable("n", "int", "3", 0), variable("cfg", NULL, "Config", 30005),
                                    variable("size", "int", "(...)", 30006) };
    variables[2].lazy = true;
    struct scope scopes[] = { scope("Local", 30004, variables, 3),
                              { .name = (char *)"Globals", .handle = 30007, .expensive = true } };
    render_scopes(out, scopes, 2, 0, NULL);
}

static void example_variables(struct buffer *out)
{
    struct variable variables[] = { variable("[100]", "int", "7", 0), variable("[101]", "int", "9", 0) };
    render_variables(out, &(struct variables_view){
                              .variables = variables, .count = 2, .start = 100, .total = 1234, .more = true, .handle = 30005 });
}

static void example_targets(struct buffer *out)
{
    const struct choice choices[] = {
        { .label = "price_of(item)", .handle = 30011, .line = 12, .column = 9 },
        { .label = "cart.total", .handle = 30012 },
    };
    render_choices(out, "Step-in targets", choices, COUNT_OF(choices), "dap_step_in", NULL);
}

static struct tree_node node(struct variable of, const char *path, int depth, enum tree_end end, size_t first, size_t count)
{
    return (struct tree_node){
        .variable = of, .path = (char *)path, .depth = depth, .end = end, .first = first, .count = count, .total = count
    };
}

static void example_tree(struct buffer *out)
{
    struct tree_node nodes[] = {
        node(variable("order", "Order", "<Order 7>", 30005), "order", 0, TREE_OPEN, 1, 4),
        node(variable("id", "int", "7", 0), "order.id", 1, TREE_LEAF, 0, 0),
        node(variable("items", "list", "[<Item>, …]", 30006), "order.items", 1, TREE_OPEN, 5, 1),
        node(variable("parent", "Order", "<Order 7>", 30005), "order.parent", 1, TREE_CYCLE, 0, 0),
        node(variable("log", "list", "[…]", 30009), "order.log", 1, TREE_CUT, 0, 0),
        node(variable("0", "Item", "<Item>", 30007), "order.items[0]", 2, TREE_OPEN, 6, 2),
        node(variable("price", "float", "2.5", 0), "order.items[0].price", 3, TREE_LEAF, 0, 0),
        node(variable("tags", "list", "['new']", 30008), "order.items[0].tags", 3, TREE_CLOSED, 0, 0),
    };
    nodes[2].total = 40;
    struct value_tree tree = { .nodes = nodes, .count = COUNT_OF(nodes), .roots = 1 };
    render_tree(out, &tree, NULL);
}

static void example_threads(struct buffer *out)
{
    struct frame total[] = { frame("total", "/w/lib/cart.py", 88, 9, 30001) };
    struct frame waits[] = { frame("wait", "/usr/lib/python3/threading.py", 320, 0, 30002),
                             frame("get", "/usr/lib/python3/queue.py", 171, 0, 0), frame("work", "/w/lib/pool.py", 21, 0, 30003) };
    struct session_thread list[] = {
        { .id = 1, .name = (char *)"MainThread", .focused = true, .state = THREAD_STOPPED, .frames = total, .frame_count = 1 },
        { .id = 2, .name = (char *)"worker", .state = THREAD_STOPPED, .frames = waits, .frame_count = 3, .own = 2 },
        { .id = 3, .name = (char *)"main", .child = (char *)"pool.js", .state = THREAD_RUNNING },
    };
    struct session_threads threads = { .list = list, .count = 3, .total = 3 };
    render_threads(out, &(struct threads_view){ .threads = &threads, .project = PROJECT });
}

static void example_threads_grouped(struct buffer *out)
{
    struct frame total[] = { frame("total", "/w/cart.c", 88, 0, 30001) };
    struct frame waits[] = { frame("work", "/w/pool.c", 20, 0, 30002), frame("start_thread", NULL, 0, 0, 0),
                             frame("clone3", NULL, 0, 0, 0) };
    struct session_thread list[13];
    for (int i = 0; i < 13; i++)
        list[i] = (struct session_thread){ .id = i + 1, .state = THREAD_STOPPED, .frames = waits, .frame_count = 3 };
    list[4] = (struct session_thread){ .id = 5, .focused = true, .state = THREAD_STOPPED, .frames = total, .frame_count = 1 };
    struct session_threads threads = { .list = list, .count = 13, .total = 13 };
    render_threads(out, &(struct threads_view){ .threads = &threads, .project = PROJECT });
}

static void example_threads_running(struct buffer *out)
{
    struct session_thread list[] = { { .id = 1, .state = THREAD_RUNNING } };
    struct session_threads threads = {
        .list = list, .count = 1, .total = 1, .failure = (char *)"this debugger lists threads only while the program is stopped"
    };
    render_threads(out, &(struct threads_view){ .threads = &threads, .running = true, .project = PROJECT });
}

static void example_scope_list(struct buffer *out)
{
    struct scope scopes[] = { scope("Locals", 30004, NULL, 0), scope("Registers", 30005, NULL, 0) };
    scopes[0].named = 3;
    scopes[0].line = 80;
    scopes[0].end_line = 92;
    scopes[1].named = -1;
    scopes[1].indexed = -1;
    scopes[1].expensive = true;
    render_scope_list(out, scopes, 2);
}

static void example_set_variable(struct buffer *out)
{
    struct set_outcome outcome = { .target = "order.items[0].price", .adapter = "rdbg", .was = (char *)"2" };
    outcome.variable = variable("price", "int", "30", 0);
    render_set_variable(out, &outcome);
}

static void example_set_unchanged(struct buffer *out)
{
    struct set_outcome outcome = {
        .way = SET_BY_ASSIGNMENT, .target = "price", .adapter = "rdbg", .was = (char *)"2", .unchanged = true
    };
    outcome.variable = variable("price", "Integer", "2", 0);
    render_set_variable(out, &outcome);
}

static void example_exception(struct buffer *out)
{
    struct exception_cause causes[] = {
        { .type_name = (char *)"RuntimeError",
          .message = (char *)"cannot start",
          .stack_trace = (char *)"File \"start.py\", line 20, in main\n" },
        { .type_name = (char *)"ValueError", .message = (char *)"cannot parse", .depth = 1 },
    };
    render_exception(out, &(struct exception_details){ .id = (char *)"RuntimeError",
                                                       .description = (char *)"cannot start",
                                                       .break_mode = (char *)"unhandled",
                                                       .causes = causes,
                                                       .count = 2 });
}

static void example_completions(struct buffer *out)
{
    const struct completion items[] = {
        { .label = "price", .text = "price", .type = "property", .detail = "float" },
        { .label = "print()", .text = "print", .type = "function" },
    };
    render_completions(out, items, 2, 40);
}

static void example_evaluation(struct buffer *out)
{
    struct variable value = variable("", "list", "[1, 2, 3]", 30008);
    render_evaluation(out, &value);
}

/* A run of many x is shown by four. */
static void example_evaluations(struct buffer *out)
{
    struct evaluation rows[] = {
        { .expression = "total * 2", .evaluated = true, .value = variable("", "int", "60", 0) },
        { .expression = "total / none", .failure = (char *)"evaluate request failed: NameError: name 'none' is not defined" },
        { .expression = "items", .evaluated = true, .value = variable("", "list", "[1, 2, 3]", 30008) },
    };
    render_evaluations(out, rows, COUNT_OF(rows));
}

static void example_evaluation_cut(struct buffer *out)
{
    enum { LEN = 20 * 1024 * 1024 };
    struct variable value = variable("", "str", NULL, 0);
    value.value.data = xmalloc(LEN + 1);
    value.value.len = LEN;
    memset(value.value.data, 'x', LEN);
    value.value.data[LEN] = '\0';
    AUTO_BUFFER struct buffer whole;
    buffer_init(&whole, LIMIT_RENDERED_BYTES);
    render_evaluation(&whole, &value);
    free(value.value.data);
    buffer_add(out, whole.data + strspn(whole.data, "x") - 4);
}

static struct output output(const char *bytes, uint64_t discarded, struct output_part *parts, size_t count)
{
    return (
        struct output){ .bytes = (char *)bytes, .len = strlen(bytes), .discarded = discarded, .parts = parts, .part_count = count };
}

static void example_memory(struct buffer *out)
{
    static const char bytes[] = "apple\0\2\0\0\0\3\0\0\0\xff\33\1\2\3\4\5\6\7\10";
    render_memory(out, &(struct memory_view){ .bytes = bytes,
                                              .len = 24,
                                              .asked = 64,
                                              .has_address = true,
                                              .address = 0x7ffff010,
                                              .expression = "buffer",
                                              .why_less = "Cannot access memory at address 0x7ffff028" });
}

static void example_disassembly(struct buffer *out)
{
    static char path[] = "/project/cart.c", symbol[] = "cost";
    const struct instruction rows[] = {
        { .address = "0x55555514d", .text = " mov    %rdi,-0x18(%rbp)  ", .symbol = symbol, .source_path = path, .line = 17 },
        { .address = "0x555555151", .text = "mov    -0x18(%rbp),%rax", .source_path = path, .line = 17, .current = true },
        { .address = "0x555555155", .text = "", .source_path = path, .line = 17, .invalid = true },
    };
    render_disassembly(
        out, &(struct disassembly_view){
                 .rows = rows, .count = COUNT_OF(rows), .where = "the present instruction of cost", .project = "/project" });
}

static void example_output(struct buffer *out)
{
    const char *bytes = "3 items\n\x1b[1mtotal: 30\x1b[0m\n";
    struct output_part part = { OUTPUT_STDOUT, strlen(bytes) };
    struct output of = output(bytes, 0, &part, 1);
    render_output(out, &of, NULL);
}

static void add_from_spill(struct buffer *out, const char *text_of_it, const char *path)
{
    /* The private folder has another name each time. */
    AUTO_FREE char *folder = path_folder(path);
    const char *at = strstr(text_of_it, folder);
    assert_non_null(at);
    buffer_append(out, text_of_it, (size_t)(at - text_of_it));
    buffer_add(out, "FOLDER");
    buffer_add(out, at + strlen(folder));
}

static void example_output_cut(struct buffer *out)
{
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, SIZE_MAX);
    for (int i = 1; i <= 1232; i++)
        buffer_addf(&bytes, "line %d\n", i + 1);
    struct output_part parts[] = { { OUTPUT_STDOUT, bytes.len }, { OUTPUT_STDERR, 35 }, { OUTPUT_DEBUGGER, 20 } };
    buffer_add(&bytes, "Traceback (most recent call last):\nProcess 4711 exited\n");
    struct output of = output(bytes.data, 4096, parts, 3);
    struct spill *spill = spill_new();
    AUTO_BUFFER struct buffer whole;
    buffer_init(&whole, LIMIT_RENDERED_BYTES);
    render_output(&whole, &of, spill);
    add_from_spill(out, whole.data, spill_write(spill, "output", "", 0));
    spill_free(spill);
}

static void example_stderr(struct buffer *out)
{
    static const char bytes[] = "/usr/bin/python3: No module named debugpy\ngiving up";
    render_stderr(out, bytes, sizeof(bytes) - 1);
}

static void example_limit(struct buffer *out)
{
    struct variable *variables = xcalloc(1000, sizeof(*variables));
    char(*names)[32] = xcalloc(1000, sizeof(*names));
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof(names[i]), "v%d", i);
        variables[i] = variable(names[i], "int", "0 and more of it, as many as are in a long line", 0);
        if (i == 0)
            variables[i].value = text("0");
    }
    AUTO_BUFFER struct buffer whole;
    buffer_init(&whole, LIMIT_RENDERED_BYTES);
    render_variables(&whole, &(struct variables_view){ .variables = variables, .count = 1000, .total = 1000 });
    struct output_part part = { OUTPUT_STDOUT, 6 };
    struct output of = output("hello\n", 0, &part, 1);
    render_output(&whole, &of, NULL);
    struct spill *spill = spill_new();
    render_limit(&whole, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, spill);
    add_from_spill(out, whole.data, spill_write(spill, "output", "", 0));
    spill_free(spill);
    free(variables);
    free(names);
}

static const struct example {
    const char *name;
    void (*render)(struct buffer *out);
} examples[] = {
    { "head-hits", example_head_hits },
    { "head-breakpoint", example_head_breakpoint },
    { "head-no-source", example_head_no_source },
    { "head-no-frames", example_head_no_frames },
    { "head-interrupted", example_head_interrupted },
    { "head-late-step", example_head_late_step },
    { "head-running", example_head_running },
    { "head-timed-out", example_head_timed_out },
    { "head-cancelled", example_head_cancelled },
    { "head-pause-pending", example_head_pause_pending },
    { "head-single-thread", example_head_single_thread },
    { "head-not-waited", example_head_not_waited },
    { "head-launching", example_head_launching },
    { "head-terminated", example_head_terminated },
    { "head-idle", example_head_idle },
    { "packet-exception", example_packet_exception },
    { "packet-step", example_packet_step },
    { "packet-unread", example_packet_unread },
    { "packet-full", example_packet_full },
    { "breakpoints", example_breakpoints },
    { "breakpoints-all", example_breakpoints_all },
    { "breakpoints-saved", example_breakpoints_saved },
    { "breakpoints-none", example_breakpoints_none },
    { "stack", example_stack },
    { "targets", example_targets },
    { "scopes", example_scopes },
    { "variables", example_variables },
    { "threads", example_threads },
    { "threads-grouped", example_threads_grouped },
    { "threads-running", example_threads_running },
    { "scope-list", example_scope_list },
    { "set-variable", example_set_variable },
    { "set-unchanged", example_set_unchanged },
    { "exception", example_exception },
    { "completions", example_completions },
    { "tree", example_tree },
    { "evaluation", example_evaluation },
    { "evaluations", example_evaluations },
    { "evaluation-cut", example_evaluation_cut },
    { "memory", example_memory },
    { "disassembly", example_disassembly },
    { "output", example_output },
    { "output-cut", example_output_cut },
    { "stderr", example_stderr },
    { "limit", example_limit },
};

static char *read_page(void)
{
    const char *root = getenv("DAPPLE_SOURCE");
    if (!root)
        fail_msg("DAPPLE_SOURCE does not say where docs/results.md is");
    AUTO_FREE char *path = xasprintf("%s/docs/results.md", root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *page = xcalloc(1, 256 * 1024);
    size_t len = fread(page, 1, 256 * 1024 - 1, file);
    fclose(file);
    assert_true(len > 0);
    return page;
}

/* Whether the text is what the example shows. A line with only an ellipsis stands for any lines. */
static bool is_as_shown(const char *got, const char *shown, size_t shown_len)
{
    static const char gap[] = "\n" ELLIPSIS "\n";
    size_t got_len = strlen(got);
    const char *at = memmem(shown, shown_len, gap, sizeof(gap) - 1);
    if (!at)
        return got_len == shown_len && memcmp(got, shown, got_len) == 0;
    size_t before = (size_t)(at - shown) + 1;
    size_t after = shown_len - before - (sizeof(gap) - 2);
    return got_len > before + after && memcmp(got, shown, before) == 0 &&
           memcmp(got + got_len - after, shown + shown_len - after, after) == 0 && got[got_len - after - 1] == '\n';
}

static void every_example_of_the_page_is_true(void **state)
{
    (void)state;
    AUTO_FREE char *page = read_page();
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        AUTO_FREE char *mark = xasprintf("<!-- example: %s -->\n```text\n", examples[i].name);
        const char *begin = strstr(page, mark);
        if (!begin)
            fail_msg("docs/results.md does not show %s", examples[i].name);
        begin += strlen(mark);
        const char *end = strstr(begin, "\n```\n");
        assert_non_null(end);
        AUTO_BUFFER struct buffer out;
        buffer_init(&out, LIMIT_RENDERED_BYTES);
        examples[i].render(&out);
        if (is_as_shown(out.data, begin, (size_t)(end + 1 - begin)))
            continue;
        fprintf(stderr, "%s: rendered:\n%s\nshown:\n%.*s\n", examples[i].name, out.data, (int)(end + 1 - begin), begin);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void the_page_has_no_example_without_a_test(void **state)
{
    (void)state;
    AUTO_FREE char *page = read_page();
    static const char mark[] = "<!-- example: ";
    size_t count = 0;
    for (const char *at = strstr(page, mark); at; at = strstr(at + 1, mark))
        count++;
    assert_int_equal(count, COUNT_OF(examples));
}

/* ---- exact forms beside the examples ---- */

#define CHECK_RENDERED(wanted, ...)              \
    do {                                         \
        AUTO_BUFFER struct buffer out;           \
        buffer_init(&out, LIMIT_RENDERED_BYTES); \
        __VA_ARGS__;                             \
        assert_string_equal(out.data, wanted);   \
    } while (0)

static void heads_leave_out_what_is_not_known(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/elsewhere/a.c", 3, 0, 30001) };
    struct stop at = stop("step", frames, 1);
    CHECK_RENDERED("stopped (step) at /elsewhere/a.c:3 in f · thread 1\n", add_stopped_head(&out, &at));
    at.has_thread = false;
    frames[0].source_path = NULL;
    frames[0].source_name = (char *)"<eval>";
    CHECK_RENDERED("stopped (step) at <eval>:3 in f\n", add_stopped_head(&out, &at));
    frames[0].source_name = NULL;
    frames[0].column = 7;
    CHECK_RENDERED("stopped (step) at 3:7 in f\n", add_stopped_head(&out, &at));
    frames[0] = frame("", "/w/a.c", 0, 7, 0);
    CHECK_RENDERED("stopped (step) at a.c\n", add_stopped_head(&out, &at));
    frames[0] = frame("", NULL, 0, 0, 0);
    CHECK_RENDERED("stopped (step)\n", add_stopped_head(&out, &at));
    at.frame_count = 0;
    at.thread_id = 0;
    at.has_thread = true;
    CHECK_RENDERED("stopped (step) · thread 0\n", add_stopped_head(&out, &at));
    CHECK_RENDERED("stopped\n", add_stopped_head(&out, NULL));
    CHECK_RENDERED("terminated\n", add_head(&out, SESSION_TERMINATED, WAIT_NOTE_NONE, 0, NULL));
    CHECK_RENDERED("launching\n", add_head(&out, SESSION_LAUNCHING, WAIT_NOTE_NONE, 0, NULL));
}

static void ends_tell_code_and_reason_when_known(void **state)
{
    (void)state;
    struct head_view view = { .state = SESSION_TERMINATED, .has_exit_code = true, .exit_code = -11 };
    CHECK_RENDERED("terminated (exit code -11)\n", render_head(&out, &view));
    view.has_exit_code = false;
    view.termination_reason = "adapter exited\nwith code 1";
    CHECK_RENDERED("terminated (adapter exited\\nwith code 1)\n", render_head(&out, &view));
    view.termination_reason = "";
    CHECK_RENDERED("terminated\n", render_head(&out, &view));
}

/* A wait is told about only where there was one: the note of a stop or an end would be a lie. */
static void notes_belong_to_what_goes_on(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.c", 3, 0, 30001) };
    struct stop at = stop("step", frames, 1);
    struct head_view view = { .state = SESSION_STOPPED, .stop = &at, .note = WAIT_NOTE_CANCELLED, .project = PROJECT };
    CHECK_RENDERED("stopped (step) at a.c:3 in f · thread 1\n", render_head(&out, &view));
    view.state = SESSION_TERMINATED;
    CHECK_RENDERED("terminated\n", render_head(&out, &view));
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    add_head(&out, SESSION_RUNNING, WAIT_NOTE_TIMED_OUT, 1500, NULL);
    add_head(&out, SESSION_RUNNING, WAIT_NOTE_TIMED_OUT, 250, NULL);
    add_head(&out, SESSION_LAUNCHING, WAIT_NOTE_CANCELLED, 0, NULL);
    assert_non_null(strstr(out.data, "still running after 1.5 s: dap_status"));
    assert_non_null(strstr(out.data, "still running after 250 ms: dap_status"));
    assert_non_null(strstr(
        out.data, "launching (wait cancelled)\nthe wait was cancelled, the launch goes on: dap_status looks again, dap_stop"));
    assert_null(strstr(out.data, "session="));
}

/* rdbg tells the same three times: reason, description, text. */
static void stops_do_not_repeat_themselves(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.rb", 3, 0, 30001) };
    struct stop at = stop("breakpoint", frames, 1);
    at.description = (char *)"Breakpoint";
    at.text = (char *)"Breakpoint";
    CHECK_RENDERED("stopped (breakpoint) at a.rb:3 in f · thread 1\n", add_stopped_head(&out, &at));
    at.description = (char *)"BP - Line a.rb:3";
    at.text = (char *)"BP - Line a.rb:3";
    CHECK_RENDERED("stopped (breakpoint) at a.rb:3 in f · thread 1\ndescription: BP - Line a.rb:3\n", add_stopped_head(&out, &at));
    /* js-debug has words for each reason: at every stop a line that said nothing. dlv has a number for panics. */
    struct stop quiet = stop("step", frames, 1);
    int64_t panic = -1;
    quiet.description = (char *)"Paused";
    quiet.hit_ids = &panic;
    quiet.hit_count = 1;
    CHECK_RENDERED("stopped (step) at a.rb:3 in f · thread 1\n", add_stopped_head(&out, &quiet));
    quiet.reason = (char *)"exception";
    quiet.description = (char *)"Paused on exception";
    CHECK_RENDERED("stopped (exception) at a.rb:3 in f · thread 1\n", add_stopped_head(&out, &quiet));
    quiet.description = (char *)"Paused on promise rejection";
    CHECK_RENDERED("stopped (exception) at a.rb:3 in f · thread 1\ndescription: Paused on promise rejection\n"
                   "no handler so far: one that is attached later (.catch, await) still takes it, and dap_continue goes on; "
                   "without one Node.js ends the program\n",
                   add_stopped_head(&out, &quiet));
    at.text = (char *)"watch hit";
    CHECK_RENDERED("stopped (breakpoint) at a.rb:3 in f · thread 1\ndescription: BP - Line a.rb:3\ntext: watch hit\n",
                   add_stopped_head(&out, &at));
    at.description = NULL;
    at.has_hit_ids = true; /* an empty list is not worth a line */
    CHECK_RENDERED("stopped (breakpoint) at a.rb:3 in f · thread 1\ntext: watch hit\n", add_stopped_head(&out, &at));
}

static void many_hit_ids_are_counted(void **state)
{
    (void)state;
    int64_t ids[1000];
    for (int i = 0; i < 1000; i++)
        ids[i] = i;
    struct stop at = stop("breakpoint", NULL, 0);
    at.hit_ids = ids;
    at.hit_count = 1000;
    CHECK_RENDERED("stopped (breakpoint) · thread 1\n"
                   "hit breakpoint ids: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, … 1,000 in all\n",
                   add_stopped_head(&out, &at));
}

static void add_exception_packet(struct buffer *out, struct stop *at, struct exception_info *info, enum render_context context)
{
    render_packet(out, &(struct packet_view){ .stop = at, .exception = info, .context = context, .session = "worker" });
}

static void exceptions_are_told_once(void **state)
{
    (void)state;
    struct stop at = stop("exception", NULL, 0);
    struct exception_info info = { .id = (char *)"Error", .description = (char *)"Error: no such file" };
    CHECK_RENDERED("exception: Error: no such file\n", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    info = (struct exception_info){ .id = (char *)"Signal", .description = (char *)"signal SIGABRT" };
    CHECK_RENDERED("exception: signal SIGABRT\n", add_exception_packet(&out, &at, &info, CONTEXT_BRIEF));
    info = (struct exception_info){ .id = (char *)"panic" };
    CHECK_RENDERED("exception: panic\n", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    info = (struct exception_info){ .message = (char *)"a\nb" };
    CHECK_RENDERED("exception: a\\nb\n", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    info = (struct exception_info){ .id = (char *)"" };
    CHECK_RENDERED("", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    /* Without exceptionInfo the event's text is all there is. */
    at.text = (char *)"ValueError";
    CHECK_RENDERED("exception: ValueError\n", add_exception_packet(&out, &at, NULL, CONTEXT_NONE));
    CHECK_RENDERED("exception: ValueError\n", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    at.reason = (char *)"breakpoint";
    CHECK_RENDERED("", add_exception_packet(&out, &at, NULL, CONTEXT_NONE));
    CHECK_RENDERED("", add_exception_packet(&out, NULL, &info, CONTEXT_FULL));
}

/* Continuing after an uncaught exception loses the program; after a caught one it does not, and saying so would be wrong. */
static void only_uncaught_exceptions_end_the_program(void **state)
{
    (void)state;
    struct stop at = stop("exception", NULL, 0);
    struct exception_info info = { .id = (char *)"E", .break_mode = (char *)"unhandled" };
    CHECK_RENDERED("exception: E\nuncaught: the next dap_continue session=worker ends the program\n",
                   add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    info.break_mode = (char *)"userUnhandled";
    CHECK_RENDERED("exception: E\nnot caught in the program's own code: the next dap_continue session=worker may end the program\n",
                   add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    static const char *const others[] = { "always", "never", "", "UNHANDLED!" };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        info.break_mode = (char *)others[i];
        CHECK_RENDERED("exception: E\n", add_exception_packet(&out, &at, &info, CONTEXT_NONE));
    }
}

/* "called from: … · run at queue.js:30" lost its beginning in the words of `dapple run`: all of it was marked as a hint, with another inside. */
static void callers_are_no_hint(void **state)
{
    (void)state;
    struct frame frames[] = { frame("work", "/w/queue.js", 58, 0, 30001), hinted(frame("tick", NULL, 0, 0, 30002), "subtle"),
                              frame("run", "/w/queue.js", 30, 0, 30003) };
    struct stop at = stop("step", frames, 3);
    struct packet_view view = { .stop = &at, .context = CONTEXT_BRIEF, .project = "/w" };
    hints_for_shell(true);
    CHECK_RENDERED("locals: none\001 (--frame 30001)\002\ncalled from: … · run at queue.js:30\001 [--frame 30003]\002\n",
                   render_packet(&out, &view));
    hints_for_shell(false);
}

/* In Python the main thread alone takes the program with it. */
static void an_exception_may_end_its_thread_alone(void **state)
{
    (void)state;
    struct stop at = stop("exception", NULL, 0);
    struct exception_info info = { .id = (char *)"E", .break_mode = (char *)"unhandled" };
    struct packet_view view = { .stop = &at, .exception = &info, .context = CONTEXT_NONE, .ends = "this thread, not the program" };
    CHECK_RENDERED("exception: E\nuncaught: the next dap_continue ends this thread, not the program\n", render_packet(&out, &view));
    info.break_mode = (char *)"always";
    CHECK_RENDERED("exception: E\n", render_packet(&out, &view));
}

/* input() in a program without a terminal: that it has one only when asked for is not in the exception. */
static void an_end_of_input_says_how_to_give_some(void **state)
{
    (void)state;
    struct stop at = stop("exception", NULL, 0);
    struct exception_info info = { .id = (char *)"EOFError", .description = (char *)"EOF when reading a line" };
    struct packet_view view = { .stop = &at, .exception = &info, .context = CONTEXT_NONE, .input = "so" };
    CHECK_RENDERED("exception: EOFError: EOF when reading a line\nit has no input: so\n", render_packet(&out, &view));
    info.description = (char *)"Ran out of input";
    CHECK_RENDERED("exception: EOFError: Ran out of input\n", render_packet(&out, &view));
}

static void long_exceptions_are_cut_and_counted(void **state)
{
    (void)state;
    char message[3001];
    memset(message, 'm', 3000);
    message[3000] = '\0';
    struct stop at = stop("exception", NULL, 0);
    struct exception_info info = { .id = (char *)"E", .message = message };
    AUTO_BUFFER struct buffer brief;
    AUTO_BUFFER struct buffer full;
    buffer_init(&brief, LIMIT_RENDERED_BYTES);
    buffer_init(&full, LIMIT_RENDERED_BYTES);
    add_exception_packet(&brief, &at, &info, CONTEXT_BRIEF);
    add_exception_packet(&full, &at, &info, CONTEXT_FULL);
    assert_non_null(strstr(brief.data, "m" ELLIPSIS " (3,000 bytes; context full shows more)\n"));
    assert_non_null(strstr(full.data, "m" ELLIPSIS " (3,000 bytes)\n"));
    assert_true(full.len > brief.len);
}

static void breakpoint_rows_tell_all(void **state)
{
    (void)state;
    struct desired_breakpoint list[] = { { .line = 9 }, { .line = 10 }, { .line = 11 } };
    struct bound_breakpoint bound[] = {
        { .state = BREAKPOINT_BOUND,
          .has_id = true,
          .id = 0,
          .has_line = true,
          .line = 9,
          .message = (char *)"slow\npath",
          .source_path = (char *)"/w/a.c" },
        { .state = BREAKPOINT_BOUND, .has_id = true, .id = -1, .has_line = true, .line = 12, .source_path = (char *)"/w/inline.h" },
        { .state = BREAKPOINT_FAILED, .has_line = true, .line = 12 },
    };
    struct breakpoint_list file = { .path = (char *)"/w/a.c", .desired = list, .bound = bound, .count = 3 };
    CHECK_RENDERED("Breakpoints: 2 of 3 verified\n"
                   "  line 9 (id 0) verified (slow\\npath)\n"
                   "  line 10 (id -1) verified: requested line 10, bound to line 12 of /w/inline.h\n"
                   "  line 11 not verified: the debugger gave no reason\n",
                   render_breakpoints(&out, &file));
    bound[1].has_line = false;
    list[0].condition = (char *)"x\n> 1";
    bound[2] = (struct bound_breakpoint){ .state = BREAKPOINT_PENDING, .message = (char *)"module not loaded" };
    CHECK_RENDERED("Breakpoints: 2 of 3 verified\n"
                   "  line 9 (id 0) verified (slow\\npath)\n"
                   "  line 10 (id -1) verified: bound in /w/inline.h\n"
                   "  line 11 pending: module not loaded\n",
                   render_breakpoints(&out, &file));
    struct session session = { .active = true, .files = &file, .count = 1 };
    CHECK_RENDERED("Desired Breakpoints:\n"
                   "  a.c:9 if x\\n> 1\n"
                   "  a.c:10\n"
                   "  a.c:11 · pending: module not loaded\n",
                   render_desired(&out, &session, PROJECT, false));
    file.count = 0;
    CHECK_RENDERED("", render_desired(&out, &session, PROJECT, false));
    CHECK_RENDERED("Desired Breakpoints: none\n", render_desired(&out, &session, PROJECT, true));
    CHECK_RENDERED("Breakpoints: none in this file\n", render_breakpoints(&out, &file));
}

static void stacks_of_all_sizes(void **state)
{
    (void)state;
    struct frame one[] = { frame("main", "/w/a.c", 3, 0, 30000) };
    CHECK_RENDERED("Stack: 1 frame\n  frame 30000: main at a.c:3\n",
                   render_stack(&out, &(struct stack_view){ .frames = one, .count = 1, .total = 1, .project = PROJECT }));
    CHECK_RENDERED("Stack: 0 frames\n", render_stack(&out, &(struct stack_view){ .total = -1 }));
    CHECK_RENDERED("Stack: 0 of 41 frames, from number 50\n",
                   render_stack(&out, &(struct stack_view){ .start = 50, .total = 41, .more = true }));
    /* Nobody said how many there are: the page's length is not the total. */
    CHECK_RENDERED(
        "Stack: 1 frame, from number 20\n  frame 30000: main at a.c:3\n  … more: dap_stack start=21 session=worker\n",
        render_stack(
            &out,
            &(struct stack_view){
                .frames = one, .count = 1, .start = 20, .total = -1, .more = true, .project = PROJECT, .session = "worker" }));
    one[0] = frame("", NULL, 0, 0, 0);
    CHECK_RENDERED("Stack: 1 frame\n  frame without an id (all are given out at this stop): ?\n",
                   render_stack(&out, &(struct stack_view){ .frames = one, .count = 1, .total = 1 }));
}

/* Where the program stands is shown even when it stands in a library; a lone unimportant frame is not worth hiding. */
static void stacks_fold_runs_only(void **state)
{
    (void)state;
    struct frame frames[] = {
        hinted(frame("a", NULL, 0, 0, 31), "subtle"),
        hinted(frame("b", NULL, 0, 0, 32), "subtle"),
        hinted(frame("c", NULL, 0, 0, 35), "subtle"),
        hinted(frame("d", NULL, 0, 0, 36), "label"),
        frame("e", NULL, 0, 0, 37),
        hinted(frame("f", NULL, 0, 0, 38), "subtle"),
        frame("g", NULL, 0, 0, 39),
        hinted(frame("h", NULL, 0, 0, 40), "subtle"),
        hinted(frame("i", NULL, 0, 0, 44), "subtle"),
    };
    CHECK_RENDERED("Stack: 9 frames\n"
                   "  frame 31: a\n"
                   "  … 3 deemphasized frames (ids 32, 35–36)\n"
                   "  frame 37: e\n"
                   "  frame 38: f\n"
                   "  frame 39: g\n"
                   "  … 2 deemphasized frames (ids 40, 44)\n",
                   render_stack(&out, &(struct stack_view){ .frames = frames, .count = 9, .total = 9 }));
    CHECK_RENDERED("Stack: 2 of 9 frames, from number 2\n  … 2 deemphasized frames (ids 35–36)\n",
                   render_stack(&out, &(struct stack_view){ .frames = frames + 2, .count = 2, .start = 2, .total = 9 }));
}

static void scopes_of_all_kinds(void **state)
{
    (void)state;
    struct variable variables[] = { variable("n", "int", "3", 0) };
    struct scope scopes[] = {
        scope("Locals", 7, variables, 1),
        scope("", 8, NULL, 0),
        { .name = (char *)"Lazy", .handle = 9 },
        { .name = (char *)"Zero" },
        { .name = (char *)"Bad", .handle = 10, .failure = (char *)"no\nway" },
    };
    scopes[0].total = 1234;
    CHECK_RENDERED("Scope Locals [variables_reference 7]: 1 of 1,234 variables, from number 100\n"
                   "  n: int = 3\n"
                   "  … more: dap_variables variables_reference=7 start=101 session=worker\n"
                   "Scope ? [variables_reference 8]: 0 variables, from number 100\n"
                   "Scope Lazy [variables_reference 9] (not expanded; pass its variables_reference to expand)\n"
                   "Scope Zero: no variables reported\n"
                   "Scope Bad [variables_reference 10]: no\\nway\n",
                   render_scopes(&out, scopes, 5, 100, "worker"));
    CHECK_RENDERED("Scopes: none\n", render_scopes(&out, NULL, 0, 0, NULL));
}

static void variables_of_all_kinds(void **state)
{
    (void)state;
    struct variable variables[] = {
        variable("plain", "int", "3", 0),  variable("untyped", NULL, "3", 0), variable("special variables", "", "", 30001),
        variable("empty", "str", "", 0),   variable("", "", "", 0),           variable("lost", NULL, "{...}", 0),
        { .name = { (char *)"a\0b", 3 } },
    };
    variables[2].group = true;
    variables[5].adapter_reference = 4711;
    CHECK_RENDERED("Variables: 7\n"
                   "  plain: int = 3\n"
                   "  untyped = 3\n"
                   "  special variables [variables_reference 30001]\n"
                   "  empty: str\n"
                   "  \n"
                   "  lost = {...} [has members; no variables_reference is left at this stop]\n"
                   "  a\\x00b\n",
                   render_variables(&out, &(struct variables_view){ .variables = variables, .count = 7, .total = -1 }));
    CHECK_RENDERED("Variables: 0\n", render_variables(&out, &(struct variables_view){ .total = 0 }));
    CHECK_RENDERED("Variables: 0 of 5, from number 9\n",
                   render_variables(&out, &(struct variables_view){ .total = 5, .start = 9, .more = true }));
}

static void evaluations_of_all_kinds(void **state)
{
    (void)state;
    struct variable value = variable("", NULL, "a\r\nb\rc\n", 0);
    CHECK_RENDERED("the debugger's answer (2 lines):\n|# a\n|# b\\nc\n", render_evaluation(&out, &value));
    value = variable("", "void", "", 0);
    CHECK_RENDERED("(empty result) (void)\n", render_evaluation(&out, &value));
    value = variable("", NULL, NULL, 0);
    CHECK_RENDERED("(empty result)\n", render_evaluation(&out, &value));
}

/* ---- the stop packet ---- */

static struct packet_view brief_view(const struct stop *at, const struct scope *scopes, size_t count)
{
    return (struct packet_view){
        .stop = at, .scopes = scopes, .scope_count = count, .excerpt = &cart_excerpt, .context = CONTEXT_BRIEF, .project = PROJECT
    };
}

/* No frames, no scopes: nothing to show is no reason to fail. */
static void packets_without_frames_are_empty(void **state)
{
    (void)state;
    struct stop at = stop("pause", NULL, 0);
    struct packet_view view = brief_view(&at, NULL, 0);
    CHECK_RENDERED("", render_packet(&out, &view));
    view.context = CONTEXT_FULL;
    CHECK_RENDERED("", render_packet(&out, &view));
}

static void context_none_shows_no_variables(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.py", 88, 0, 30001), frame("g", "/w/a.py", 1, 0, 30002) };
    struct stop at = stop("step", frames, 2);
    struct variable variables[] = { variable("n", "int", "3", 0) };
    struct scope scopes[] = { scope("Locals", 7, variables, 1) };
    struct packet_view view = brief_view(&at, scopes, 1);
    view.context = CONTEXT_NONE;
    CHECK_RENDERED("", render_packet(&out, &view));
}

/* An excerpt may hold more than the context shows; brief shows two lines around. Tabs and blanks stay: an edit made of a copy has to match. */
static void brief_shows_two_lines_around(void **state)
{
    (void)state;
    char *lines[] = { (char *)"1", (char *)"2", (char *)"3  \t ", (char *)"", (char *)"\tif\x1b[31m",
                      (char *)"6", (char *)"7", (char *)"8" };
    struct source_excerpt excerpt = { .first_line = 95, .lines = lines, .count = 8 };
    struct frame frames[] = { frame("f", "/w/a.py", 99, 0, 0) };
    struct stop at = stop("step", frames, 1);
    struct packet_view view = brief_view(&at, NULL, 0);
    view.excerpt = &excerpt;
    CHECK_RENDERED("    97 | 3  \t \n"
                   "    98 |\n"
                   "->  99 | \tif\\x1b[31m\n"
                   "   100 | 6\n"
                   "   101 | 7\n"
                   "locals: none\n",
                   render_packet(&out, &view));
    view.context = CONTEXT_FULL;
    AUTO_BUFFER struct buffer full;
    buffer_init(&full, LIMIT_RENDERED_BYTES);
    render_packet(&full, &view);
    assert_non_null(strstr(full.data, "    95 | 1\n"));
    assert_non_null(strstr(full.data, "   102 | 8\n"));
}

/* A frame without a line has no source to show, and nothing is missing then. */
static void no_source_is_expected_without_a_line(void **state)
{
    (void)state;
    struct frame frames[] = { frame("__read", NULL, 0, 0, 30001) };
    struct stop at = stop("pause", frames, 1);
    struct source_excerpt excerpt = { .why_none = (char *)"is not known" };
    struct packet_view view = brief_view(&at, NULL, 0);
    view.excerpt = &excerpt;
    CHECK_RENDERED("locals: none (frame_id 30001)\n", render_packet(&out, &view));
}

/* What only the debugger has is read with dap_source, which not everybody is offered. */
static void a_source_of_the_debuggers_names_only_what_is_offered(void **state)
{
    (void)state;
    struct frame frames[] = { frame("made", "/w/made", 3, 0, 30001) };
    frames[0].source_reference = 7;
    struct stop at = stop("step", frames, 1);
    struct source_excerpt excerpt = { .why_none = (char *)"is not on this machine" };
    struct packet_view view = brief_view(&at, NULL, 0);
    view.excerpt = &excerpt;
    CHECK_RENDERED("source: the file is not on this machine\nlocals: none (frame_id 30001)\n", render_packet(&out, &view));
    view.offers_source = true;
    CHECK_RENDERED("source: the file is not on this machine; dap_source source_reference=7\nlocals: none (frame_id 30001)\n",
                   render_packet(&out, &view));
}

/* Many breakpoints at one place: five with their places, the others by number, and how many there are in all. */
static void many_hits_are_named_by_number(void **state)
{
    (void)state;
    struct desired_breakpoint lines[30];
    int64_t numbers[30];
    for (int i = 0; i < 30; i++) {
        numbers[i] = i + 1;
        lines[i] = (struct desired_breakpoint){ .line = 88, .number = i + 1 };
    }
    struct breakpoint_list list = { .path = (char *)"/w/cart.py", .desired = lines, .count = 30 };
    struct session session = { .active = true, .files = &list, .count = 1 };
    struct frame frames[] = { frame("total", "/w/cart.py", 88, 0, 30001) };
    struct stop at = stop("breakpoint", frames, 1);
    at.hit_numbers = numbers;
    struct head_view view = { .state = SESSION_STOPPED, .stop = &at, .of = &session, .project = PROJECT };
    static const struct {
        size_t count;
        const char *end;
    } cases[] = {
        { 5, "hit breakpoint 5, cart.py:88\n" },
        { 7, "hit breakpoint 5, cart.py:88\n7 breakpoints were hit in all, also 6, 7\n" },
        { 30,
          "30 breakpoints were hit in all, also 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, …\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_BUFFER struct buffer out;
        buffer_init(&out, LIMIT_RENDERED_BYTES);
        at.number_count = cases[i].count;
        render_head(&out, &view);
        assert_true(out.len > strlen(cases[i].end));
        assert_string_equal(out.data + out.len - strlen(cases[i].end), cases[i].end);
    }
}

static void few_variables_are_all_shown(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.py", 1, 0, 30001) };
    struct stop at = stop("step", frames, 1);
    struct variable variables[] = { variable("a", "int", "1", 0), variable("b", NULL, "2", 0) };
    struct scope scopes[] = { scope("Locals", 7, variables, 2) };
    struct packet_view view = brief_view(&at, scopes, 1);
    view.excerpt = NULL;
    CHECK_RENDERED("locals (2, frame_id 30001):\n  a: int = 1\n  b = 2\n", render_packet(&out, &view));
    scopes[0].total = 500; /* the adapter has more than were read */
    view.session = "worker";
    CHECK_RENDERED("locals (500, frame_id 30001):\n  a: int = 1\n  b = 2\n"
                   "  others: 498 more (dap_variables frame_id=30001 count=500 session=worker shows all 500)\n",
                   render_packet(&out, &view));
    scopes[0].total = 50000;
    view.session = NULL;
    CHECK_RENDERED("locals (50,000, frame_id 30001):\n  a: int = 1\n  b = 2\n"
                   "  others: 49,998 more (dap_variables frame_id=30001 count=10000 shows the first 10,000)\n",
                   render_packet(&out, &view));
}

static void unread_scopes_are_counted(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.js", 1, 0, 30001) };
    struct stop at = stop("step", frames, 1);
    struct scope scopes[] = {
        { .name = (char *)"Block", .handle = 1, .failure = (char *)"timed out" },
        { .name = (char *)"Local", .handle = 2 },
        { .name = (char *)"Closure", .handle = 3 },
        { .name = (char *)"Closure", .handle = 4 },
        { .name = (char *)"Global", .handle = 5 },
        { .name = (char *)"Empty" },
    };
    struct packet_view view = brief_view(&at, scopes, 6);
    view.excerpt = NULL;
    CHECK_RENDERED("locals: none (frame_id 30001)\n"
                   "  Block: could not be read: timed out [variables_reference 1]\n"
                   "  Local: not read [variables_reference 2]\n"
                   "  … 2 more scopes not read (dap_variables lists them)\n",
                   render_packet(&out, &view));
}

static void callers_are_the_next_two_that_matter(void **state)
{
    (void)state;
    struct frame frames[] = { frame("f", "/w/a.py", 1, 0, 1), frame("g", "/w/a.py", 2, 0, 2), frame("h", NULL, 0, 0, 0),
                              frame("i", "/w/a.py", 4, 7, 4), frame("j", "/w/a.py", 5, 0, 5) };
    struct stop at = stop("step", frames, 5);
    struct packet_view view = brief_view(&at, NULL, 0);
    view.excerpt = NULL;
    view.project = "/w/"; /* as good as without the slash */
    CHECK_RENDERED("locals: none (frame_id 1)\n"
                   "called from: g at a.py:2 [frame_id 2] · … · i at a.py:4 [frame_id 4] · … (dap_stack shows all 5)\n",
                   render_packet(&out, &view));
    for (size_t i = 0; i < COUNT_OF(frames); i++)
        frames[i].source_path = frames[i].source_path ? (char *)"a.py" : NULL; /* no frame is known to be the project's */
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: g at a.py:2 [frame_id 2] · h · … (dap_stack shows all 5)\n",
                   render_packet(&out, &view));
    /* One more is shown instead of saying that there is one more. */
    at.frame_count = 4;
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: g at a.py:2 [frame_id 2] · h · i at a.py:4 [frame_id 4]\n",
                   render_packet(&out, &view));
    at.frame_count = 3;
    at.total_frames = -1;
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: g at a.py:2 [frame_id 2] · h\n", render_packet(&out, &view));
    at.more_frames = true;
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: g at a.py:2 [frame_id 2] · h · … (dap_stack shows more)\n",
                   render_packet(&out, &view));
    frames[1] = hinted(frames[1], "subtle");
    frames[2] = hinted(frames[2], "label");
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: … (dap_stack shows more)\n", render_packet(&out, &view));
    at.frame_count = 1;
    at.more_frames = false;
    CHECK_RENDERED("locals: none (frame_id 1)\n", render_packet(&out, &view));
}

/* Between the project's functions are a library's, and below main is the C library: the next callers that one can do something about
 * are named, the others are marked as left out. */
static void callers_in_the_project_are_preferred(void **state)
{
    (void)state;
    struct frame frames[] = { frame("key", "/w/a.py", 1, 0, 1), frame("sorted", "/lib/sort.py", 2, 0, 2),
                              frame("main", "/w/a.py", 3, 0, 3), frame("_start", NULL, 0, 0, 4) };
    struct stop at = stop("step", frames, 4);
    struct packet_view view = brief_view(&at, NULL, 0);
    view.excerpt = NULL;
    CHECK_RENDERED("locals: none (frame_id 1)\ncalled from: … · main at a.py:3 [frame_id 3] · … (dap_stack shows all 4)\n",
                   render_packet(&out, &view));
    view.context = CONTEXT_FULL;
    CHECK_RENDERED("locals: none (frame_id 1)\n"
                   "called from:\n  sorted at /lib/sort.py:2 [frame_id 2]\n  main at a.py:3 [frame_id 3]\n  _start [frame_id 4]\n",
                   render_packet(&out, &view));
    /* A crash in a library that nothing of ours called: then its callers are all there is. */
    frames[0].source_path = frames[2].source_path = (char *)"/lib/x.c";
    view.context = CONTEXT_BRIEF;
    CHECK_RENDERED("locals: none (frame_id 1)\n"
                   "called from: sorted at /lib/sort.py:2 [frame_id 2] · main at /lib/x.c:3 [frame_id 3] · _start [frame_id 4]\n",
                   render_packet(&out, &view));
}

static void long_paths_of_callers_keep_their_end(void **state)
{
    (void)state;
    AUTO_FREE char *path = xasprintf("/lib/%0300d/\xe2\x82\xac\xe2\x82\xac/name.py", 0);
    struct frame frames[] = { frame("f", "/w/a.py", 1, 0, 1), frame("g", path, 2, 0, 2) };
    struct stop at = stop("step", frames, 2);
    struct packet_view view = brief_view(&at, NULL, 0);
    view.project = NULL;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_packet(&out, &view);
    assert_non_null(strstr(out.data, "name.py:2 [frame_id 2]\n"));
    assert_non_null(strstr(out.data, "g at " ELLIPSIS "0"));
    /* Between characters, wherever the cut falls. */
    for (int shift = 0; shift < 4; shift++) {
        char name[400] = "";
        memset(name, '/', (size_t)shift);
        for (size_t len = (size_t)shift; len + 3 < sizeof(name); len += 3)
            memcpy(name + len, "\xe2\x82\xac", 3);
        frames[1].source_path = name;
        buffer_clear(&out);
        render_packet(&out, &view);
        assert_true(utf8_valid(out.data, out.len));
        assert_null(strstr(out.data, "\xef\xbf\xbd"));
    }
}

/* ---- what is hostile ---- */

#define EVIL                                                              \
    "x\n\nDebuggee output:\n| y\nstopped (breakpoint) at a.c:1 in "       \
    "f\r\nterminated\rrunning\x1b[2J\x1b]0;t\x07\x7f\xc2\x9b\xff\xe2\x82" \
    "\xe2\x80\xa8\xe2\x80\xae\xc3\xa9\xf0\x9f\x98\x80\t[cut here]\n"

static void check_begins(const struct buffer *out, const char *with)
{
    AUTO_FREE char *begin = xstrndup(out->data, strlen(with));
    assert_string_equal(begin, with);
}

static size_t lines_of(const char *of)
{
    size_t lines = 0;
    for (; (of = strchr(of, '\n')); of++)
        lines++;
    return lines;
}

/* Valid UTF-8, whole lines, nothing that moves a cursor or looks like the end of a line. */
static void check_clean(const struct buffer *out)
{
    assert_int_equal(strlen(out->data), out->len);
    assert_true(utf8_valid(out->data, out->len));
    if (out->len > 0)
        assert_int_equal(out->data[out->len - 1], '\n');
    for (size_t i = 0; i < out->len; i++) {
        unsigned char byte = (unsigned char)out->data[i];
        assert_true(byte >= 0x20 || byte == '\n' || byte == '\t');
        assert_int_not_equal(byte, 0x7f);
    }
    assert_null(strstr(out->data, "\xe2\x80\xa8"));
    assert_null(strstr(out->data, "\xe2\x80\xae"));
    assert_null(strstr(out->data, "\xc2\x9b"));
}

struct all_text {
    char *string;
    struct adapter_text bytes;
};

static struct variable variable_of(const struct all_text *of, bool lazy)
{
    return (struct variable){
        .name = of->bytes, .type = of->bytes, .value = of->bytes, .handle = 7, .adapter_reference = 7, .lazy = lazy
    };
}

/* As long as a line of an excerpt can be. */
static char *source_line(char *of)
{
    size_t len = strlen(of);
    return of + (len > SOURCE_EXCERPT_LINE_BYTES ? len - SOURCE_EXCERPT_LINE_BYTES : 0);
}

/* Renders everything with the same text in every place where others' text can stand. */
static void render_all(struct buffer *out, const struct all_text *of)
{
    struct frame frames[5];
    for (size_t i = 0; i < COUNT_OF(frames); i++)
        frames[i] = (struct frame){ .handle = 1,
                                    .name = of->string,
                                    .source_path = i % 2 ? of->string : NULL,
                                    .source_name = of->string,
                                    .line = 2,
                                    .column = 3,
                                    .hint = of->string,
                                    .source_hint = of->string };
    struct stop at = stop(of->string, frames, COUNT_OF(frames));
    at.description = at.text = of->string;
    add_stopped_head(out, &at);
    struct stop bare = stop("pause", NULL, 0);
    bare.frames_failure = of->string;
    add_stopped_head(out, &bare);
    render_head(out, &(struct head_view){ .state = SESSION_TERMINATED, .termination_reason = of->string });
    add_head(out, SESSION_RUNNING, WAIT_NOTE_TIMED_OUT, 5, of->string);
    struct variable variables[] = { variable_of(of, false), variable_of(of, true), variable_of(of, false) };
    struct scope scopes[] = { scope("Locals", 7, variables, 3),
                              scope(of->string, 7, variables, 3),
                              { .name = of->string, .handle = 7, .failure = of->string },
                              { .name = of->string, .handle = 7, .hint = (char *)"registers" } };
    char *line = source_line(of->string);
    char *lines[] = { line, line, line };
    struct source_excerpt excerpt = { .first_line = 1, .lines = lines, .count = 3 };
    struct source_excerpt none = { .why_none = of->string };
    struct exception_info info = { of->string, of->string, (char *)"unhandled", of->string, of->string, of->string };
    struct locals_memory memory = { 0 };
    struct variable earlier[] = { { .name = of->bytes, .value = { (char *)"\x1b\n\r", 3 } } };
    struct scope before[] = { scope("Locals", 7, earlier, 1) };
    locals_memory_take(&memory, &frames[0], before, 1);
    for (enum render_context context = CONTEXT_NONE; context <= CONTEXT_FULL; context++) {
        struct packet_view view = { &at, scopes, 4, &info, &excerpt, &memory, context, PROJECT, of->string };
        render_packet(out, &view);
        view.excerpt = &none;
        render_packet(out, &view);
    }
    locals_memory_done(&memory);
    struct desired_breakpoint list[] = { { 1, of->string }, { 2, of->string }, { 3, of->string } };
    struct bound_breakpoint bound[] = {
        { .state = BREAKPOINT_BOUND, .has_line = true, .line = 7, .message = of->string, .source_path = of->string },
        { .state = BREAKPOINT_PENDING, .message = of->string },
        { .state = BREAKPOINT_FAILED, .message = of->string }
    };
    struct breakpoint_list file = { .path = of->string, .desired = list, .bound = bound, .count = 3 };
    struct session session = { .active = true, .files = &file, .count = 1 };
    render_breakpoints(out, &file);
    render_desired(out, &session, PROJECT, true);
    render_stack(out, &(struct stack_view){ frames, COUNT_OF(frames), 0, 100, true, PROJECT, of->string });
    render_scopes(out, scopes, 4, 0, of->string);
    render_variables(out, &(struct variables_view){ variables, 3, 0, 100, true, 0, 0, 7, of->string });
    render_evaluation(out, &variables[0]);
}

/* Names, values, messages and paths with everything in them that could begin a line of ours: the lines are as many as with an
 * innocent text, and each still begins with our own words. */
static void nobody_can_imitate_our_lines(void **state)
{
    (void)state;
    static char evil[] = EVIL;
    static char evil_bytes[] = EVIL "\0" EVIL;
    struct all_text innocent = { (char *)"y", { (char *)"y", 1 } };
    struct all_text hostile = { evil, { evil_bytes, sizeof(evil_bytes) - 1 } };
    AUTO_BUFFER struct buffer plain;
    AUTO_BUFFER struct buffer out;
    buffer_init(&plain, LIMIT_RENDERED_BYTES);
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_all(&plain, &innocent);
    render_all(&out, &hostile);
    check_clean(&out);
    /* Beside the lines that only the hostile text has: two about values that were cut, "description" and "text" being told apart. */
    const char *one = plain.data;
    size_t extra = 0;
    for (const char *line = out.data; *line; line = strchr(line, '\n') + 1) {
        size_t same = 0;
        while (same < 2 && line[same] == one[same])
            same++;
        if (same == 2 || (*one == 'y' && *line == 'x'))
            one = strchr(one, '\n') + 1;
        else if (strncmp(line, "  (values that end", 18) == 0)
            extra++;
        else
            fail_msg("hostile: %.60s\nplain:   %.60s", line, one);
    }
    assert_string_equal(one, "");
    assert_int_equal(lines_of(out.data), lines_of(plain.data) + extra);
}

/* Megabytes in every place at once. */
static void nothing_is_too_large(void **state)
{
    (void)state;
    enum { LEN = 20 * 1024 * 1024 };
    char *huge = xmalloc(LEN + 1);
    for (size_t i = 0; i < LEN; i++)
        huge[i] = "\xe2\x82\xac\n"[i % 4];
    huge[LEN] = '\0';
    struct all_text of = { huge, { huge, LEN } };
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_all(&out, &of);
    check_clean(&out);
    assert_true(out.len < 128 * 1024);
    assert_null(strstr(out.data, "\xef\xbf\xbd")); /* cut between characters only */
    free(huge);
}

static void check_packet_budget(struct packet_view *view, size_t most_bytes, size_t most_lines)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_packet(&out, view);
    check_clean(&out);
    if (out.len > most_bytes || lines_of(out.data) > most_lines)
        fail_msg("%zu bytes, %zu lines:\n%s", out.len, lines_of(out.data), out.data);
    assert_non_null(strstr(out.data, "exception: "));
    assert_non_null(strstr(out.data, "-> "));
    assert_non_null(strstr(out.data, "\nlocals ("));
    assert_non_null(strstr(out.data, "\n  others: "));
    assert_non_null(strstr(out.data, "dap_variables frame_id="));
    assert_non_null(strstr(out.data, "\ncalled from:"));
}

/* Thousands of variables, of every size, all on the line; long everything else: the packet keeps its budget and says what is left. */
static void packets_keep_their_budget(void **state)
{
    (void)state;
    enum { COUNT = 5000, LEN = 20 * 1024 * 1024 };
    char *huge = xmalloc(LEN + 1);
    memset(huge, 'v', LEN);
    huge[LEN] = '\0';
    char long_name[500];
    memset(long_name, 'n', sizeof(long_name));
    struct variable *variables = xcalloc(COUNT, sizeof(*variables));
    struct frame frames[20];
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            variables[i] = variable(round == 0 ? "n" : "x", "int", "3", 0);
            if (round == 2) {
                variables[i] = variable(NULL, NULL, NULL, 99999999);
                variables[i].type = (struct adapter_text){ huge, LEN };
                variables[i].name = (struct adapter_text){ long_name, 1 + i % sizeof(long_name) };
                if (i < 50)
                    variables[i].value = (struct adapter_text){ huge, LEN };
            } else if (round == 3) {
                variables[i].name = (struct adapter_text){ (char *)"\n\n\n\n\n\n\n\n\n\n", i % 10 };
            }
        }
        for (size_t i = 0; i < COUNT_OF(frames); i++)
            frames[i] = frame(round >= 2 ? huge : "f", round >= 2 ? huge : "/w/a.py", 88, INT64_MAX, INT64_MAX);
        char *line = source_line(huge);
        char *lines[] = { line, line, line, line, line };
        struct source_excerpt excerpt = { .first_line = 86, .lines = lines, .count = 5 };
        struct exception_info info = { huge, huge, (char *)"unhandled", huge, long_name, huge };
        long_name[sizeof(long_name) - 1] = '\0';
        struct stop at = stop("exception", frames, COUNT_OF(frames));
        at.more_frames = true;
        at.total_frames = INT64_MAX;
        struct scope scopes[6] = { scope("Locals", 7, variables, COUNT) };
        for (size_t i = 1; i < COUNT_OF(scopes); i++)
            scopes[i] = (struct scope){ .name = huge, .handle = INT64_MAX, .failure = huge };
        char session[65] = "";
        memset(session, 's', 64);
        struct packet_view view = brief_view(&at, scopes, COUNT_OF(scopes));
        view.exception = &info;
        view.session = session;
        if (round >= 2)
            view.excerpt = &excerpt;
        check_packet_budget(&view, LIMIT_PACKET_BYTES, LIMIT_PACKET_LINES);
        view.context = CONTEXT_FULL;
        check_packet_budget(&view, LIMIT_TEXT_BYTES - LIMIT_OUTPUT_TEXT_BYTES - 1024, LIMIT_TEXT_LINES - LIMIT_OUTPUT_TEXT_LINES);
    }
    free(variables);
    free(huge);
}

/* A value of many-byte characters, cut at every place. */
static void characters_are_never_cut(void **state)
{
    (void)state;
    static const char *const characters[] = { "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    for (size_t kind = 0; kind < COUNT_OF(characters); kind++) {
        for (size_t shift = 0; shift < 8; shift++) {
            char value[8192];
            memset(value, 'x', shift);
            size_t len = shift;
            size_t step = strlen(characters[kind]);
            for (; len + step < sizeof(value); len += step)
                memcpy(value + len, characters[kind], step);
            value[len] = '\0';
            struct variable of = { .name = { value, len }, .type = { value, len }, .value = { value, len } };
            AUTO_BUFFER struct buffer out;
            buffer_init(&out, LIMIT_RENDERED_BYTES);
            render_evaluation(&out, &of);
            render_variables(&out, &(struct variables_view){ .variables = &of, .count = 1, .total = 1 });
            struct output_part part = { OUTPUT_STDOUT, len };
            struct output printed = { .bytes = value, .len = len, .parts = &part, .part_count = 1 };
            render_output(&out, &printed, NULL);
            render_stderr(&out, value, len);
            check_clean(&out);
            assert_null(strstr(out.data, "\xef\xbf\xbd"));
        }
    }
}

static void values_are_cut_at_the_limit_and_not_before(void **state)
{
    (void)state;
    char value[LIMIT_VALUE_BYTES + 2];
    memset(value, 'x', sizeof(value));
    struct variable of = variable("n", NULL, NULL, 0);
    of.value = (struct adapter_text){ value, LIMIT_VALUE_BYTES };
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_variables(&out, &(struct variables_view){ .variables = &of, .count = 1, .total = 1 });
    assert_null(strstr(out.data, ELLIPSIS));
    assert_null(strstr(out.data, "dap_evaluate"));
    of.value.len++;
    render_variables(&out, &(struct variables_view){ .variables = &of, .count = 1, .total = 1 });
    assert_non_null(strstr(out.data, "x" ELLIPSIS " (121 bytes)\n"));
    assert_non_null(strstr(out.data, "(values that end in " ELLIPSIS " are cut: dap_evaluate shows up to 4,096 bytes)\n"));
    of.adapter_reference = of.handle =
        7; /* an evaluation of a dict was cut in its middle by the debugger, though we promised all */
    buffer_truncate(&out, 0);
    render_variables(&out, &(struct variables_view){ .variables = &of, .count = 1, .total = 1 });
    assert_non_null(strstr(out.data, " are cut: dap_variables path=NAME depth=2 shows members)\n"));
    of.value = (struct adapter_text){ (char *)"{'a': Account(name='a'...l('100')}", 34 };
    render_evaluation(&out, &of);
    assert_non_null(strstr(
        out.data, "l('100')} [variables_reference 7] (shortened: dap_variables variables_reference=7 depth=2 shows more)\n"));
}

static void too_many_desired_breakpoints_are_counted(void **state)
{
    (void)state;
    struct desired_breakpoint *list = xcalloc(1000, sizeof(*list));
    for (int i = 0; i < 1000; i++)
        list[i].line = i + 1;
    struct breakpoint_list files[] = { { .path = (char *)"/w/a.c", .desired = list, .count = 700 },
                                       { .path = (char *)"/w/b.c", .desired = list, .count = 1000 } };
    struct session session = { .active = false, .files = files, .count = 2 };
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_desired(&out, &session, PROJECT, false);
    assert_int_equal(lines_of(out.data), 1 + LIMIT_DESIRED_ROWS + 1);
    assert_non_null(strstr(out.data, "  b.c:300\n  … 700 more, not listed"));
    free(list);
}

/* ---- output ---- */

static void check_output(const char *bytes, uint64_t discarded, struct output_part *parts, size_t count, const char *wanted)
{
    struct output of = output(bytes, discarded, parts, count);
    CHECK_RENDERED(wanted, render_output(&out, &of, NULL));
}

static void check_stdout(const char *bytes, uint64_t discarded, const char *wanted)
{
    struct output_part part = { OUTPUT_STDOUT, strlen(bytes) };
    check_output(bytes, discarded, &part, 1, wanted);
}

static void output_of_all_kinds(void **state)
{
    (void)state;
    check_stdout("", 0, "");
    check_stdout("\x1b[2J\x07", 0, "");
    check_stdout("prompt> ", 0, "\nDebuggee output:\n| prompt> \n");
    check_stdout("\n", 0, "\nDebuggee output:\n| \n");
    check_stdout("a\tb\r\nc\rd", 0, "\nDebuggee output:\n| a\tb\n| c\n| d\n");
    check_stdout("x\n\nDebuggee output:\nstopped", 0, "\nDebuggee output:\n| x\n| \n| Debuggee output:\n| stopped\n");
    check_stdout("a\xe2\x80\xa8"
                 "terminated\n",
                 0, "\nDebuggee output:\n| a\\u2028terminated\n");
    check_stdout("", 4096, "\nDebuggee output (4,096 older bytes discarded):\n");
    check_stdout("z\n", 1, "\nDebuggee output (1 older byte discarded):\n| z\n");
}

/* debugpy sends a line and its end as two events, and a character may be cut between two; another stream begins a line of its own. */
static void output_is_put_together(void **state)
{
    (void)state;
    struct output_part same[] = { { OUTPUT_STDOUT, 3 }, { OUTPUT_STDOUT, 1 }, { OUTPUT_STDOUT, 0 }, { OUTPUT_STDOUT, 2 } };
    check_output("ab\xc3\xa9\nc", 0, same, 4, "\nDebuggee output:\n| ab\xc3\xa9\n| c\n");
    struct output_part mixed[] = { { OUTPUT_STDOUT, 3 }, { OUTPUT_STDERR, 2 }, { OUTPUT_DEBUGGER, 2 }, { OUTPUT_STDOUT, 4 } };
    check_output("abcd\ne\nfgh\n", 0, mixed, 4, "\nDebuggee output (|! is stderr; |# is the debugger):\n|! d\n|# e\n| abcfgh\n");
    /* print("n is", n) and a warning at the same time: debugpy sends the words of a line one by one, stderr comes between. */
    struct output_part words[] = {
        { OUTPUT_STDOUT, 4 }, { OUTPUT_STDERR, 4 }, { OUTPUT_STDOUT, 2 }, { OUTPUT_STDERR, 1 }, { OUTPUT_STDOUT, 1 }
    };
    check_output("n iswarn 3\n\n", 0, words, 5, "\nDebuggee output (|! is stderr):\n|! warn\n| n is 3\n");
    /* Nothing is lost that has no end yet; the stream that printed last comes last. */
    struct output_part unfinished[] = { { OUTPUT_STDOUT, 2 }, { OUTPUT_STDERR, 1 } };
    check_output("> x", 0, unfinished, 2, "\nDebuggee output (|! is stderr):\n| > \n|! x\n");
    struct output_part other_way[] = { { OUTPUT_STDERR, 1 }, { OUTPUT_STDOUT, 2 } };
    check_output("x> ", 0, other_way, 2, "\nDebuggee output (|! is stderr):\n|! x\n| > \n");
    /* A carriage return and its line feed may be cut apart as well. */
    struct output_part cut[] = { { OUTPUT_STDOUT, 2 }, { OUTPUT_STDERR, 1 }, { OUTPUT_STDOUT, 2 } };
    check_output("a\re\nb", 0, cut, 3, "\nDebuggee output (|! is stderr):\n| a\n|! e\n| b\n");
}

#define OWN_FRAMES(margin)                                                                      \
    margin "  File \"/usr/lib/python3.11/runpy.py\", line 198, in _run_module_as_main\n" margin \
           "    return _run_code(code)\n" margin "           ^^^^^^^^^\n" margin                \
           "  File \"/x/debugpy/adapter/../../debugpy/launcher/../../debugpy/__main__.py\", line 39\n" margin "    cli.main()\n"

static void check_python(const char *bytes, const char *wanted)
{
    struct output_part part = { OUTPUT_STDERR, strlen(bytes) };
    struct output of = output(bytes, 0, &part, 1);
    of.has_debuggers = true;
    CHECK_RENDERED(wanted, render_output(&out, &of, NULL));
}

/* Every traceback of a program under debugpy began with some twenty lines of debugpy's. */
static void frames_of_the_debugger(void **state)
{
    (void)state;
#define HEAD_OF(more) "\nDebuggee output (the rest could not be kept; |! is stderr" more "):\n"
    check_python(
        "Traceback (most recent call last):\n" OWN_FRAMES("") "  File \"/p/debugpy/a.py\", line 1\n    f()\nValueError: bad\n",
        HEAD_OF("; |# is the debugger") "|! Traceback (most recent call last):\n|#   … 2 frames of the debugger's own\n"
                                        "|!   File \"/p/debugpy/a.py\", line 1\n|!     f()\n|! ValueError: bad\n");
    /* In a group of exceptions, with a frame of pydevd below the program's. */
    check_python("  + Exception Group Traceback (most recent call last):\n" OWN_FRAMES(
                     "  | ") "  |   File \"a.py\", line 1\n"
                             "  |   File \"/x/debugpy/_vendored/pydevd/pydevd.py\", line 3\n  | ExceptionGroup: two\n",
                 HEAD_OF("; |# is the debugger") "|!   + Exception Group Traceback (most recent call last):\n"
                                                 "|#   … 2 frames of the debugger's own\n|!   |   File \"a.py\", line 1\n"
                                                 "|#   … 1 frame of the debugger's own\n|!   | ExceptionGroup: two\n");
    /* Debian's copy warns of itself. */
    check_python("/x/debugpy/_vendored/force_pydevd.py:18: UserWarning: incompatible copy of pydevd already imported:\n /x/a.py\n"
                 "  /x/b.py\n  warnings.warn(msg)\n  /mine\n",
                 HEAD_OF("; |# is the debugger") "|#   … 4 lines of the debugger's own\n|!   /mine\n");
#undef HEAD_OF
    /* Without a frame of the debugger's, without a traceback, and with another debugger, all is the program's. */
    check_python("Traceback (most recent call last):\n  File \"/usr/lib/runpy.py\", line 1\n    exec()\nValueError\n",
                 "\nDebuggee output (|! is stderr):\n|! Traceback (most recent call last):\n"
                 "|!   File \"/usr/lib/runpy.py\", line 1\n|!     exec()\n|! ValueError\n");
    check_python(
        "Traceback (most recent call last):\n  File \"/usr/lib/runpy.py\", line 1",
        "\nDebuggee output (|! is stderr):\n|! Traceback (most recent call last):\n|!   File \"/usr/lib/runpy.py\", line 1\n");
    check_python("  File \"/x/debugpy/__main__.py\", line 39\n",
                 "\nDebuggee output (|! is stderr):\n|!   File \"/x/debugpy/__main__.py\", line 39\n");
    check_stdout("Traceback (most recent call last):\n  File \"/x/debugpy/__main__.py\", line 39\n", 0,
                 "\nDebuggee output:\n| Traceback (most recent call last):\n|   File \"/x/debugpy/__main__.py\", line 39\n");
}

/* The end of the output is what tells of a crash: the beginning is what is cut. */
static void the_newest_output_is_shown(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, SIZE_MAX);
    for (int i = 1; i <= 60; i++)
        buffer_addf(&bytes, "%d\n", i);
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    struct output_part part = { OUTPUT_STDOUT, bytes.len };
    struct output of = output(bytes.data, 0, &part, 1);
    render_output(&out, &of, NULL);
    check_begins(&out, "\nDebuggee output:\n| 1\n");
    buffer_add(&bytes, "crash");
    part.len = bytes.len;
    of = output(bytes.data, 0, &part, 1);
    buffer_clear(&out);
    render_output(&out, &of, NULL);
    check_begins(&out, "\nDebuggee output (last 60 of 61 lines; the rest could not be kept):\n| 2\n");
    assert_string_equal(out.data + out.len - 13, "| 60\n| crash\n");
}

static void long_lines_of_output_are_cut_in_front(void **state)
{
    (void)state;
    size_t len = LIMIT_OUTPUT;
    char *bytes = xmalloc(len + 1);
    memset(bytes, 'o', len);
    bytes[len] = '\0';
    memcpy(bytes + len - 7, "\nlast\n", 6);
    bytes[len - 1] = '!';
    struct output_part part = { OUTPUT_STDERR, len };
    struct output of = output(bytes, 0, &part, 1);
    struct spill *spill = spill_new();
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_output(&out, &of, spill);
    check_clean(&out);
    check_begins(&out, "\nDebuggee output (last 6,1");
    assert_non_null(strstr(out.data, " of 1,048,576 bytes; all of it: /"));
    assert_non_null(strstr(out.data, "; |! is stderr):\n|! " ELLIPSIS "ooo"));
    assert_string_equal(out.data + out.len - 14, "\n|! last\n|! !\n");
    assert_true(out.len < LIMIT_OUTPUT_TEXT_BYTES + 700);
    spill_free(spill);
    free(bytes);
}

/* The file holds what was printed as it was printed. */
static void cut_output_is_kept_whole(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, SIZE_MAX);
    for (int i = 0; i < 1000; i++)
        buffer_add(&bytes, "\x1b[31mred\x1b[0m\r\n");
    struct output_part part = { OUTPUT_STDOUT, bytes.len };
    struct output of = output(bytes.data, 0, &part, 1);
    struct spill *spill = spill_new();
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_output(&out, &of, spill);
    const char *path = strstr(out.data, "all of it: ") + strlen("all of it: ");
    AUTO_FREE char *name = xstrndup(path, strcspn(path, ");"));
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    char *kept = xmalloc(bytes.len + 1);
    assert_int_equal(fread(kept, 1, bytes.len + 1, file), bytes.len);
    assert_memory_equal(kept, bytes.data, bytes.len);
    fclose(file);
    free(kept);
    spill_free(spill);
}

static void stderr_shows_its_end(void **state)
{
    (void)state;
    CHECK_RENDERED("", render_stderr(&out, "", 0));
    CHECK_RENDERED("", render_stderr(&out, "\x1b[0m", 4));
    CHECK_RENDERED("Adapter's stderr (last 1 line):\n| x\n", render_stderr(&out, "x", 1));
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, SIZE_MAX);
    for (int i = 1; i <= 10000; i++)
        buffer_addf(&bytes, "%d\n", i);
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_stderr(&out, bytes.data, bytes.len);
    check_begins(&out, "Adapter's stderr (last 20 lines):\n| 9981\n");
}

/* ---- the limit of a whole result ---- */

static void add_rows(struct buffer *out, size_t count, size_t len)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 1; j < len; j++)
            buffer_addc(out, 'r');
        buffer_addc(out, '\n');
    }
}

static void results_within_the_limit_stay(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    assert_int_equal(out.len, 0);
    add_rows(&out, LIMIT_TEXT_LINES, 2);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    assert_int_equal(out.len, LIMIT_TEXT_LINES * 2);
    buffer_clear(&out);
    add_rows(&out, 16, LIMIT_TEXT_BYTES / 16);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    assert_int_equal(out.len, LIMIT_TEXT_BYTES);
}

static void check_limited(const struct buffer *out)
{
    check_clean(out);
    assert_true(out->len <= LIMIT_TEXT_BYTES);
    assert_true(lines_of(out->data) <= LIMIT_TEXT_LINES);
    assert_non_null(strstr(out->data, "[cut here: "));
}

static void results_over_the_limit_are_cut_at_a_line(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    add_rows(&out, LIMIT_TEXT_LINES + 1, 2);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    check_limited(&out);
    assert_string_equal(strstr(out.data, "["), "[cut here: 399 of 401 lines shown; the rest could not be kept]\n");
    buffer_clear(&out);
    add_rows(&out, 17, LIMIT_TEXT_BYTES / 16);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    check_limited(&out);
    assert_string_equal(strstr(out.data, "["), "[cut here: 15 of 17 lines shown; the rest could not be kept]\n");
}

/* One line of megabytes: cut inside, between characters, and never shown as nothing. */
static void one_line_over_the_limit_is_cut_inside(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        AUTO_BUFFER struct buffer out;
        buffer_init(&out, LIMIT_RENDERED_BYTES);
        for (size_t i = 0; i < shift; i++)
            buffer_addc(&out, 'x');
        for (size_t i = 0; i < 100000; i++)
            buffer_add(&out, "\xe2\x82\xac");
        buffer_addc(&out, '\n');
        render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
        check_limited(&out);
        assert_non_null(strstr(out.data, "\xe2\x82\xac" ELLIPSIS "\n[cut here: 1 of 1 line shown; "));
        assert_true(out.len > LIMIT_TEXT_BYTES / 2);
    }
}

/* The list before it was so long that the program's last words were cut away. */
static void output_survives_the_limit(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer printed;
    buffer_init(&printed, SIZE_MAX);
    for (int i = 0; i < 1000; i++)
        buffer_addf(&printed, "a line of output with the number %d and some more to make it long enough to fill all the room\n", i);
    struct output_part part = { OUTPUT_STDOUT, printed.len };
    struct output of = output(printed.data, 5, &part, 1);
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    struct spill *spill = spill_new();
    add_rows(&out, 5000, 30);
    render_output(&out, &of, spill);
    AUTO_FREE char *whole = xstrdup(out.data);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, spill);
    check_limited(&out);
    check_begins(&out, "rrr");
    const char *section = strstr(out.data, "\n\nDebuggee output (last ");
    assert_non_null(section);
    assert_string_equal(section, strstr(whole, "\n\nDebuggee output (last "));
    const char *path = strstr(out.data, "all of it: ") + strlen("all of it: ");
    AUTO_FREE char *name = xstrndup(path, strcspn(path, "]"));
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    assert_int_equal(info.st_size, strlen(whole));
    spill_free(spill);
}

/* Lines of everything that a result can hold at once, at their largest. */
static void whole_results_keep_the_limit(void **state)
{
    (void)state;
    static char evil[] = EVIL;
    struct all_text of = { evil, { evil, sizeof(evil) - 1 } };
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    for (int i = 0; i < 20; i++)
        render_all(&out, &of);
    struct output_part part = { OUTPUT_DEBUGGER, sizeof(evil) - 1 };
    struct output printed = output(evil, UINT64_MAX, &part, 1);
    render_output(&out, &printed, NULL);
    render_limit(&out, LIMIT_TEXT_BYTES, LIMIT_TEXT_LINES, NULL);
    check_limited(&out);
    assert_non_null(strstr(out.data, "18,446,744,073,709,551,615 older bytes discarded"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_of_the_page_is_true),
        cmocka_unit_test(the_page_has_no_example_without_a_test),
        cmocka_unit_test(heads_leave_out_what_is_not_known),
        cmocka_unit_test(ends_tell_code_and_reason_when_known),
        cmocka_unit_test(notes_belong_to_what_goes_on),
        cmocka_unit_test(stops_do_not_repeat_themselves),
        cmocka_unit_test(many_hit_ids_are_counted),
        cmocka_unit_test(exceptions_are_told_once),
        cmocka_unit_test(only_uncaught_exceptions_end_the_program),
        cmocka_unit_test(callers_are_no_hint),
        cmocka_unit_test(an_exception_may_end_its_thread_alone),
        cmocka_unit_test(an_end_of_input_says_how_to_give_some),
        cmocka_unit_test(long_exceptions_are_cut_and_counted),
        cmocka_unit_test(breakpoint_rows_tell_all),
        cmocka_unit_test(stacks_of_all_sizes),
        cmocka_unit_test(stacks_fold_runs_only),
        cmocka_unit_test(scopes_of_all_kinds),
        cmocka_unit_test(variables_of_all_kinds),
        cmocka_unit_test(evaluations_of_all_kinds),
        cmocka_unit_test(packets_without_frames_are_empty),
        cmocka_unit_test(context_none_shows_no_variables),
        cmocka_unit_test(brief_shows_two_lines_around),
        cmocka_unit_test(no_source_is_expected_without_a_line),
        cmocka_unit_test(a_source_of_the_debuggers_names_only_what_is_offered),
        cmocka_unit_test(many_hits_are_named_by_number),
        cmocka_unit_test(few_variables_are_all_shown),
        cmocka_unit_test(unread_scopes_are_counted),
        cmocka_unit_test(callers_are_the_next_two_that_matter),
        cmocka_unit_test(callers_in_the_project_are_preferred),
        cmocka_unit_test(long_paths_of_callers_keep_their_end),
        cmocka_unit_test(nobody_can_imitate_our_lines),
        cmocka_unit_test(nothing_is_too_large),
        cmocka_unit_test(packets_keep_their_budget),
        cmocka_unit_test(characters_are_never_cut),
        cmocka_unit_test(values_are_cut_at_the_limit_and_not_before),
        cmocka_unit_test(too_many_desired_breakpoints_are_counted),
        cmocka_unit_test(output_of_all_kinds),
        cmocka_unit_test(output_is_put_together),
        cmocka_unit_test(frames_of_the_debugger),
        cmocka_unit_test(the_newest_output_is_shown),
        cmocka_unit_test(long_lines_of_output_are_cut_in_front),
        cmocka_unit_test(cut_output_is_kept_whole),
        cmocka_unit_test(stderr_shows_its_end),
        cmocka_unit_test(results_within_the_limit_stay),
        cmocka_unit_test(results_over_the_limit_are_cut_at_a_line),
        cmocka_unit_test(one_line_over_the_limit_is_cut_inside),
        cmocka_unit_test(output_survives_the_limit),
        cmocka_unit_test(whole_results_keep_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
