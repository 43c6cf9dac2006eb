#include "daemon/daemon.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "config/settings.h"
#include "daemon/guest.h"
#include "daemon/home.h"
#include "io/loop.h"
#include "io/session_host.h"
#include "verb/call.h"
#include "verb/hint.h"
#include "verb/verb.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_SECONDS 5
#define SETTLE_MS 300    /* from a change in the folder to the look at it: whoever removes it all is not to be disturbed */
#define ARRIVAL_MS 10000 /* for the client that started it to come */
#define LAST_LOOK_MS 20  /* from taking the socket away to the end of an idle daemon: whoever is at the door comes in first */
#define GOODBYE_MS 500   /* for adapters to disconnect, when the daemon is to end */

static const int ending_signals[] = { SIGTERM, SIGINT, SIGHUP };

/* A guest, and what is done for it. */
struct visit {
    struct visit *next;
    struct daemon *daemon;
    struct guest *guest;
    struct call *call; /* NULL: none under way */
    char *tied;        /* the session that ends with the guest; NULL */
    bool peeks;        /* a shell's completion asks */
    bool forget;       /* the tied session is over */
    bool wants_end;    /* to be told when the daemon has ended everything */
};

struct place {
    struct place *next;
    struct world *world;
};

struct daemon {
    struct loop loop;
    struct daemon_home home;
    int lock;
    uv_pipe_t *server;
    uv_fs_event_t watch; /* of the folder */
    uint64_t look_at;    /* whether the socket is still there; UINT64_MAX */
    bool displaced;      /* the folder is not ours any more: what is in it neither */
    uv_signal_t signals[COUNT_OF(ending_signals)];
    struct loop_timed timed;
    struct session_host *host;
    struct roster *roster;
    struct world *own;    /* where the daemon's own calls come from */
    struct place *places; /* the one used last is the first */
    struct visit *visits;
    size_t visit_count;
    char *lost;   /* what the daemon before this one debugged when it was killed; NULL */
    char *listed; /* what stands in the file of sessions */
    struct settings *settings;
    uint64_t quiet_since; /* UINT64_MAX: it is in use */
    uint64_t idle_ms;
    bool visited;       /* somebody has come */
    uint64_t last_look; /* when the idle daemon, whose socket is gone, ends; UINT64_MAX */
    uint64_t end_by;    /* UINT64_MAX: it is not to end */
};

/* ---- the list of what is debugged, for whoever comes after a kill -9 ---- */

static char *read_sessions(const struct daemon *daemon)
{
    FILE *file = fopen(daemon->home.sessions, "re");
    if (file == NULL)
        return NULL;
    char words[LIMIT_MESSAGE_BYTES];
    size_t len = fread(words, 1, sizeof(words) - 1, file);
    fclose(file);
    while (len > 0 && words[len - 1] == '\n')
        len--;
    for (size_t i = 0; i < len; i++)
        if (words[i] == '\n')
            words[i] = ';';
    return len > 0 ? xstrndup(words, len) : NULL;
}

static void list_sessions(struct daemon *daemon)
{
    AUTO_BUFFER struct buffer list;
    buffer_init(&list, LIMIT_TEXT_BYTES);
    roster_describe(daemon->roster, &list);
    if (daemon->displaced || strcmp(list.data, daemon->listed == NULL ? "" : daemon->listed) == 0)
        return;
    xreplace(&daemon->listed, list.data);
    FILE *file = list.len > 0 ? fopen(daemon->home.sessions, "we") : NULL;
    if (file == NULL) {
        unlink(daemon->home.sessions);
        return;
    }
    fputs(list.data, file);
    fclose(file);
}

/* ---- the end ---- */

static void tell_the_end(struct daemon *daemon)
{
    static const char text[] = "The daemon has ended.\n";
    for (struct visit *visit = daemon->visits; visit != NULL; visit = visit->next)
        if (visit->wants_end)
            guest_answer(visit->guest, &(struct answer){ .is_result = true, .text = text, .text_len = sizeof(text) - 1 });
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

/* It also removes the socket, whoever made the one that is there. */
static void stop_listening(struct daemon *daemon)
{
    if (daemon->server != NULL)
        uv_close((uv_handle_t *)daemon->server, on_closed);
    daemon->server = NULL;
    unlink(daemon->home.socket);
}

static void begin_end(struct daemon *daemon, const char *why)
{
    if (daemon->end_by != UINT64_MAX)
        return;
    log_info("ending: %s", why);
    daemon->end_by = loop_now(&daemon->loop) + GOODBYE_MS;
    /* Whoever comes now waits for the lock, and starts another one. */
    if (!daemon->displaced)
        stop_listening(daemon);
    roster_end_all(daemon->roster);
}

static void end_when_quiet(struct daemon *daemon, uint64_t now)
{
    if (daemon->end_by == UINT64_MAX || (!roster_quiet(daemon->roster) && now < daemon->end_by))
        return;
    session_host_kill_all(daemon->host);
    tell_the_end(daemon);
    loop_stop(&daemon->loop);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    AUTO_FREE char *why = xasprintf("signal %d", number);
    begin_end(daemon, why);
}

/* ---- places ---- */

static void drop_unused_places(struct daemon *daemon)
{
    size_t kept = 0;
    for (struct place **slot = &daemon->places; *slot != NULL;) {
        struct place *place = *slot;
        if (world_in_use(place->world) || kept++ < LIMIT_WORLDS) {
            slot = &place->next;
            continue;
        }
        *slot = place->next;
        world_free(place->world);
        free(place);
    }
}

static struct world *world_of(struct daemon *daemon, const struct request *request)
{
    struct place **slot = &daemon->places;
    while (*slot != NULL && !world_is((*slot)->world, request->folder, request->environment))
        slot = &(*slot)->next;
    struct place *place = *slot;
    if (place != NULL) {
        *slot = place->next;
    } else {
        drop_unused_places(daemon);
        place = xcalloc(1, sizeof(*place));
        place->world = world_new(daemon->roster, request->folder, request->environment, false);
    }
    place->next = daemon->places;
    daemon->places = place;
    return place->world;
}

/* ---- calls ---- */

static const struct verb *find_operation(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

static void on_done(void *user, struct result *result)
{
    struct visit *visit = user;
    struct daemon *daemon = visit->daemon;
    visit->call = NULL;
    list_sessions(daemon);
    log_limit(LIMIT_DAEMON_LOG);
    AUTO_FREE char *structured = result->structured == NULL ? NULL : json_write(result->structured, NULL);
    AUTO_FREE char *notice = NULL;
    if (daemon->lost != NULL && !visit->peeks) {
        notice = xasprintf("the daemon before this one was killed, and its sessions are gone: %s", daemon->lost);
        xreplace(&daemon->lost, NULL);
    }
    guest_answer(visit->guest, &(struct answer){
                                   .is_result = true,
                                   .failed = result->is_error,
                                   .partial = result->is_partial,
                                   .kind = result->kind,
                                   .text = result->text.data,
                                   .text_len = result->text.len,
                                   .structured = structured,
                                   .notice = notice,
                               });
}

/* A refusal that needs no call. */
static void refuse_call(struct visit *visit, const struct request *request, const char *message)
{
    AUTO_FREE char *text = xasprintf("Dapple: %s\n", message);
    AUTO_FREE char *structured = NULL;
    if (request->structured) {
        yyjson_mut_val *root;
        yyjson_mut_doc *doc = json_new_object(&root);
        json_add_string(doc, root, "error", message);
        structured = json_write(doc, NULL);
        yyjson_mut_doc_free(doc);
    }
    guest_answer(visit->guest, &(struct answer){ .is_result = true,
                                                 .failed = true,
                                                 .kind = ERROR_STATE,
                                                 .text = text,
                                                 .text_len = strlen(text),
                                                 .structured = structured });
}

/* What has a name makes the session; all else needs one that is there. */
static bool may_begin_session(const struct verb *verb, const char *session)
{
    return strcmp(session, "main") == 0 || verb->needs == VERB_NEEDS_INACTIVE || strstr(verb->name, "breakpoint") != NULL;
}

static char *why_not(struct daemon *daemon, const struct verb *verb, const char *session)
{
    if (!may_begin_session(verb, session) && !roster_has(daemon->roster, session))
        return xasprintf("there is no session %s; dapple sessions lists those that there are", session);
    const struct call *waiting = verb->in_order ? roster_waiting_call(daemon->roster, session) : NULL;
    if (waiting == NULL)
        return NULL;
    const struct visit *other = call_user(waiting);
    return xasprintf(
        "session %s is busy: process %d (%s) is %s; dap_status shows the session, dap_pause halts the program, dap_stop ends it",
        session, (int)guest_pid(other->guest), guest_who(other->guest), call_doing(waiting));
}

static void begin_call(struct visit *visit, const struct request *request)
{
    struct daemon *daemon = visit->daemon;
    const struct verb *verb = find_operation(request->operation);
    if (verb == NULL) {
        guest_refuse(visit->guest, "there is no such operation");
        return;
    }
    const char *session = json_string(request->arguments, "session");
    AUTO_FREE char *refusal = why_not(daemon, verb, session == NULL ? "main" : session);
    if (refusal != NULL) {
        refuse_call(visit, request, refusal);
        return;
    }
    log_debug("%s for process %d", verb->name, (int)guest_pid(visit->guest));
    enum call_form form = request->peeks ? CALL_PEEKS : request->structured ? CALL_STRUCTURED : CALL_TEXT;
    visit->peeks = request->peeks;
    visit->call = call_start_as(world_of(daemon, request), verb, request->arguments, form, on_done, visit);
}

/* ---- sessions that end with a guest ---- */

static struct call *call_for_tie(struct visit *visit, const char *operation, const char *member, call_done_fn done)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    json_add_string(doc, root, "session", visit->tied);
    if (member != NULL)
        json_add_bool(doc, root, member, true);
    yyjson_doc *arguments = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    struct call *call = call_start(visit->daemon->own, find_operation(operation), yyjson_doc_get_root(arguments), done, visit);
    yyjson_doc_free(arguments);
    return call;
}

/* Its name is free, and nothing of it is left: the next one of this name is another session. */
static void on_forgotten(void *user, struct result *result)
{
    struct visit *visit = user;
    (void)result;
    visit->call = NULL;
    visit->forget = true;
}

static void on_tied_end(void *user, struct result *result)
{
    struct visit *visit = user;
    (void)result;
    list_sessions(visit->daemon);
    visit->call = call_for_tie(visit, "remove_breakpoint", "all", on_forgotten);
}

static bool is_taken(const struct daemon *daemon, const char *session)
{
    for (const struct visit *visit = daemon->visits; visit != NULL; visit = visit->next)
        if (visit->tied != NULL && strcmp(visit->tied, session) == 0)
            return true;
    return roster_has_active(daemon->roster, session);
}

static void tie(struct visit *visit, const char *name)
{
    AUTO_FREE char *session = xasprintf("%.50s", name);
    for (int number = 2; is_taken(visit->daemon, session); number++) {
        free(session);
        session = xasprintf("%.50s-%d", name, number);
    }
    xreplace(&visit->tied, session);
    guest_say(visit->guest, session);
}

static void end_tied(struct visit *visit)
{
    if (!roster_has(visit->daemon->roster, visit->tied))
        return;
    struct call *call = call_for_tie(visit, "stop", NULL, on_tied_end);
    if (call != NULL)
        visit->call = call;
}

/* ---- requests ---- */

static void look(struct visit *visit)
{
    struct daemon *daemon = visit->daemon;
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LIMIT_TEXT_BYTES);
    buffer_addf(&text, "Daemon: process %d, version " DAPPLE_VERSION ", in %s\n", (int)getpid(), daemon->home.folder);
    size_t before = text.len;
    roster_describe(daemon->roster, &text);
    size_t after = text.len;
    roster_describe_ended(daemon->roster, &text);
    if (text.len == before)
        buffer_add(&text, "no session\n");
    else if (text.len > after)
        buffer_add(&text, "dapple sessions shows how each stands\n");
    guest_answer(visit->guest, &(struct answer){ .is_result = true, .text = text.data, .text_len = text.len });
}

static void on_request(void *user, struct guest *guest, const struct request *request)
{
    struct visit *visit = user;
    struct daemon *daemon = visit->daemon;
    if (request->kind == REQUEST_STOP) {
        visit->wants_end = true;
        begin_end(daemon, "asked to");
    } else if (daemon->end_by != UINT64_MAX) {
        guest_refuse(guest, "the daemon is ending; call again");
    } else if (request->kind == REQUEST_LOOK) {
        look(visit);
    } else if (request->kind == REQUEST_TIE) {
        tie(visit, request->session);
    } else {
        begin_call(visit, request);
    }
}

static void on_cancel(void *user, struct guest *guest)
{
    struct visit *visit = user;
    if (visit->tied != NULL && !guest_is_here(guest) && visit->call == NULL)
        end_tied(visit);
    else if (visit->call != NULL)
        call_cancel(visit->call);
}

static void on_alive(void *user, struct guest *guest)
{
    struct visit *visit = user;
    if (visit->tied == NULL)
        guest_say(guest, visit->call != NULL ? call_doing(visit->call) : "ending");
}

static const struct guest_events guest_events = { on_request, on_cancel, on_alive };

static void on_connection(uv_stream_t *server, int status)
{
    struct daemon *daemon = server->data;
    if (status < 0)
        return;
    struct visit *visit = xcalloc(1, sizeof(*visit));
    visit->daemon = daemon;
    visit->guest = guest_accept(&daemon->loop, server, &guest_events, visit);
    if (visit->guest == NULL) {
        free(visit);
        return;
    }
    visit->next = daemon->visits;
    daemon->visits = visit;
    daemon->visited = true;
    if (++daemon->visit_count > LIMIT_GUESTS)
        guest_refuse(visit->guest, "too many clients at once");
}

/* Those whose guest has gone and whose call is over. */
static void free_visits(struct daemon *daemon)
{
    for (struct visit **slot = &daemon->visits; *slot != NULL;) {
        struct visit *visit = *slot;
        if (visit->call != NULL || guest_is_here(visit->guest)) {
            slot = &visit->next;
            continue;
        }
        *slot = visit->next;
        if (visit->forget && !is_taken(daemon, visit->tied))
            roster_forget(daemon->roster, visit->tied);
        guest_free(visit->guest);
        free(visit->tied);
        free(visit);
        daemon->visit_count--;
    }
}

/* ---- the socket ---- */

static int listen_for_guests(struct daemon *daemon, struct error *ret_error)
{
    stop_listening(daemon); /* also of one that was killed: the lock is ours */
    daemon->server = xcalloc(1, sizeof(*daemon->server));
    uv_pipe_init(&daemon->loop.uv, daemon->server, 0);
    daemon->server->data = daemon;
    mode_t mask = umask(S_IRWXG | S_IRWXO);
    int failed = uv_pipe_bind(daemon->server, daemon->home.socket);
    umask(mask); /* the programs' own: they inherit it */
    if (failed == 0)
        failed = uv_listen((uv_stream_t *)daemon->server, LIMIT_GUESTS, on_connection);
    return failed == 0 ? 0 : error_set(ret_error, ERROR_SPAWN, "cannot listen at %s: %s", daemon->home.socket, uv_strerror(failed));
}

/* Is the lock in the folder the one that we hold? */
static bool holds_place(const struct daemon *daemon)
{
    struct stat held, there;
    return fstat(daemon->lock, &held) == 0 && stat(daemon->home.lock, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

/* What cleans /tmp removes sockets, and their daemons would be there for nobody: then we listen again. Without the folder, or when another
 * daemon has taken the place, nobody can ever come: the end. */
static void look_at_place(struct daemon *daemon)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    daemon->look_at = UINT64_MAX;
    if (daemon->end_by != UINT64_MAX || daemon->last_look != UINT64_MAX)
        return;
    if (!holds_place(daemon)) {
        daemon->displaced = true;
        begin_end(daemon, "its folder or its lock was removed");
    } else if (access(daemon->home.socket, F_OK) != 0) {
        log_info("the socket was removed, and is made again");
        if (listen_for_guests(daemon, &error) < 0)
            begin_end(daemon, error.message);
    }
}

static void on_change(uv_fs_event_t *watch, const char *name, int events, int status)
{
    struct daemon *daemon = watch->data;
    (void)events;
    (void)status;
    bool own = name != NULL && (strcmp(name, "log") == 0 || strcmp(name, "sessions") == 0);
    if (!own && daemon->look_at == UINT64_MAX)
        daemon->look_at = loop_now(&daemon->loop) + SETTLE_MS;
}

/* Where the system has no watch left, a socket that is removed stays so. */
static void watch_place(struct daemon *daemon)
{
    uv_fs_event_init(&daemon->loop.uv, &daemon->watch);
    daemon->watch.data = daemon;
    int failed = uv_fs_event_start(&daemon->watch, on_change, daemon->home.folder, 0);
    if (failed != 0)
        log_info("cannot watch %s: %s", daemon->home.folder, uv_strerror(failed));
}

/* ---- time ---- */

/* The user's, as the daemon's own environment has it: those of a project are about its sessions. */
static void read_idle_time(struct daemon *daemon)
{
    if (daemon->settings != NULL && !settings_changed(daemon->settings))
        return;
    settings_free(daemon->settings);
    daemon->settings = settings_read("/");
    daemon->idle_ms = settings_values(daemon->settings)->daemon_idle_ms;
}

static void look_whether_quiet(struct daemon *daemon)
{
    if (daemon->visits != NULL || roster_active(daemon->roster)) {
        daemon->quiet_since = UINT64_MAX;
        if (daemon->last_look != UINT64_MAX)
            daemon->look_at = loop_now(&daemon->loop);
        daemon->last_look = UINT64_MAX;
    } else if (daemon->quiet_since == UINT64_MAX) {
        daemon->quiet_since = loop_now(&daemon->loop);
        read_idle_time(daemon);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whoever started the daemon comes when its machine lets it, however short the idle time is. */
static uint64_t idle_end(const struct daemon *daemon)
{
    if (daemon->quiet_since == UINT64_MAX || daemon->last_look != UINT64_MAX)
        return daemon->last_look;
    bool awaited = !daemon->visited && daemon->idle_ms < ARRIVAL_MS;
    return daemon->quiet_since + (awaited ? ARRIVAL_MS : daemon->idle_ms);
}

/* When the idle time is over, a client may stand at the door, unseen: it would be told that the daemon had ended, and its sessions with it.
 * So the door is taken away first, and whoever has come through it is let in. */
static void end_idle(struct daemon *daemon)
{
    daemon->displaced = !holds_place(daemon);
    if (daemon->displaced || daemon->last_look != UINT64_MAX) {
        begin_end(daemon, "nothing to do (daemonIdleMs)");
        return;
    }
    daemon->last_look = loop_now(&daemon->loop) + LAST_LOOK_MS;
    unlink(daemon->home.socket);
}

static uint64_t daemon_deadline(void *user)
{
    struct daemon *daemon = user;
    free_visits(daemon);
    look_whether_quiet(daemon);
    if (daemon->end_by != UINT64_MAX)
        return roster_quiet(daemon->roster) ? 0 : daemon->end_by;
    uint64_t deadline = earlier(roster_deadline(daemon->roster), daemon->look_at);
    for (const struct visit *visit = daemon->visits; visit != NULL; visit = visit->next)
        deadline = earlier(deadline, guest_deadline(visit->guest));
    return earlier(deadline, idle_end(daemon));
}

static void daemon_on_time(void *user, uint64_t now)
{
    struct daemon *daemon = user;
    if (now >= daemon->look_at)
        look_at_place(daemon);
    end_when_quiet(daemon, now);
    if (daemon->end_by != UINT64_MAX)
        return;
    for (struct visit *visit = daemon->visits; visit != NULL; visit = visit->next)
        guest_on_time(visit->guest, now);
    roster_on_time(daemon->roster, now);
    if (now >= idle_end(daemon))
        end_idle(daemon);
}

/* ---- the start ---- */

static void on_alarm(int number)
{
    (void)number; /* it only ends the wait */
}

static int take_lock(struct daemon *daemon, struct error *ret_error)
{
    daemon->lock = open(daemon->home.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (daemon->lock < 0)
        return error_set(ret_error, ERROR_SPAWN, "cannot open %s: %s", daemon->home.lock, strerror(errno));
    /* One that is ending holds it until everything is gone. */
    struct sigaction wake = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &wake, NULL);
    alarm(LOCK_SECONDS);
    int failed = flock(daemon->lock, LOCK_EX);
    alarm(0);
    return failed == 0 ? 0 : error_set(ret_error, ERROR_SPAWN, "another daemon holds %s, and does not end", daemon->home.lock);
}

static void catch_signals(struct daemon *daemon)
{
    for (size_t i = 0; i < COUNT_OF(ending_signals); i++) {
        uv_signal_init(&daemon->loop.uv, &daemon->signals[i]);
        daemon->signals[i].data = daemon;
        uv_signal_start(&daemon->signals[i], on_signal, ending_signals[i]);
    }
}

static int start(struct daemon *daemon, const char *folder, struct error *ret_error)
{
    if (daemon_home_open(&daemon->home, folder, ret_error) < 0 || take_lock(daemon, ret_error) < 0)
        return -1;
    if (loop_init(&daemon->loop) < 0)
        return error_set(ret_error, ERROR_SPAWN, "no event loop: out of descriptors or memory");
    daemon->end_by = daemon->quiet_since = daemon->look_at = daemon->last_look = UINT64_MAX;
    daemon->idle_ms = TIMEOUT_DAEMON_IDLE;
    daemon->lost = read_sessions(daemon);
    unlink(daemon->home.sessions);
    hints_for_shell(true);
    daemon->host = session_host_new(&daemon->loop, "/proc/self/exe");
    daemon->roster = roster_new(daemon->host);
    daemon->own = world_new(daemon->roster, "/", NULL, false);
    daemon->timed = (struct loop_timed){ .deadline = daemon_deadline, .on_time = daemon_on_time, .user = daemon };
    loop_add_timed(&daemon->loop, &daemon->timed);
    catch_signals(daemon);
    if (listen_for_guests(daemon, ret_error) < 0)
        return -1;
    watch_place(daemon);
    return 0;
}

static void say_ready(const char *words)
{
    ssize_t written = write(DAEMON_READY_DESCRIPTOR, words, strlen(words));
    (void)written; /* whoever started us has gone: the next one finds us */
    close(DAEMON_READY_DESCRIPTOR);
}

static void log_start(const struct daemon *daemon)
{
    time_t now = time(NULL);
    struct tm local;
    char words[64];
    strftime(words, sizeof(words), "%F %T %z", localtime_r(&now, &local));
    log_info("dapple " DAPPLE_VERSION " begins, %s, in %s", words, daemon->home.folder);
    if (daemon->lost != NULL)
        log_error("the daemon before was killed with these sessions: %s", daemon->lost);
}

int daemon_main(int argc, char **argv)
{
    if (argc != 2 || *argv[1] != '/') {
        fputs("dapple " DAEMON_ROLE " is started by dapple itself\n", stderr);
        return 2;
    }
    close_range(DAEMON_READY_DESCRIPTOR + 1, ~0u, 0);
    fcntl(DAEMON_READY_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
    if (log_level() == LOG_OFF)
        log_choose(LOG_INFO);
    if (chdir("/") != 0)
        log_error("cannot go to /: %s", strerror(errno));
    /* Static, and never taken apart: what calls hold ends with the process. */
    static struct daemon daemon;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (start(&daemon, argv[1], &error) < 0) {
        log_error("%s", error.message);
        say_ready(error.message);
        return 1;
    }
    log_start(&daemon);
    say_ready(DAEMON_READY);
    loop_run(&daemon.loop);
    if (!daemon.displaced)
        unlink(daemon.home.sessions);
    while (daemon.places != NULL) {
        struct place *place = daemon.places;
        daemon.places = place->next;
        world_free(place->world);
        free(place);
    }
    world_free(daemon.own);
    roster_free(daemon.roster); /* removes the files of long results */
    log_info("ended");
    return 0;
}
