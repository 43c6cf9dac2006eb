/* Every adapter of the catalog: found in folders laid out as its makers and installers do it, and started and told what it needs. */
#include "adapter/catalog.h"
#include "adapter/choose.h"
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_elf.h"
#include "scratch.h"

#include "plan_text.h"

/* A world of its own: HOME is home/, PATH is bin/, $DAPPLE_ADAPTERS is adapters/. */
static int make_scratch(void **state)
{
    static const char *const foreign[] = { "GOBIN", "GOPATH", "GEM_HOME", "PERL5LIB", "VIRTUAL_ENV" };
    char *scratch = scratch_new();
    AUTO_FREE char *path = scratch_path(scratch, "bin");
    AUTO_FREE char *home = scratch_path(scratch, "home");
    AUTO_FREE char *adapters = scratch_path(scratch, "adapters");
    scratch_folder(scratch, "bin");
    scratch_folder(scratch, "work");
    setenv("PATH", path, 1);
    setenv("HOME", home, 1);
    setenv("DAPPLE_ADAPTERS", adapters, 1);
    for (size_t i = 0; i < COUNT_OF(foreign); i++)
        unsetenv(foreign[i]);
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static void program(const char *scratch, const char *name)
{
    free(scratch_program(scratch, name, ""));
}

#define STRINGS(...) ((char *[]){ __VA_ARGS__, NULL })

/* Chooses and plans for a program of the scratch folder, made when it is not there, with the arguments "a b" and "c". */
static struct launch_plan *plan(const char *scratch, const char *name, struct adapter_request request)
{
    AUTO_FREE char *path = scratch_path(scratch, name);
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    if (!path_exists(path))
        free(scratch_file(scratch, name, ""));
    request.program = path;
    request.cwd = cwd;
    request.args = STRINGS("a b", "c");
    struct adapter_choice choice;
    if (adapter_choose(path, NULL, &choice, &error) < 0)
        fail_msg("%s", error.message);
    struct launch_plan *made = NULL;
    int result = adapter_plan(choice.entry, &request, &made, &warnings, &error);
    adapter_choice_done(&choice);
    if (result < 0)
        fail_msg("%s", error.message);
    assert_string_equal(warnings.data, "");
    return made;
}

/* The command line for a program. */
static void check_command(const char *scratch, const char *name, const char *expected)
{
    struct launch_plan *made = plan(scratch, name, (struct adapter_request){ 0 });
    check_list(scratch, made->command.argv, expected);
    launch_plan_free(made);
}

/* Why there is no plan. */
static void check_refused(const char *scratch, const char *id, const char *expected)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made = NULL;
    struct adapter_request request = { .cwd = scratch };
    assert_int_equal(adapter_plan(catalog_find(id), &request, &made, &warnings, &error), -1);
    AUTO_FREE char *shortened = shorten(scratch, error.message);
    if (strstr(shortened, expected) == NULL)
        fail_msg("\"%s\" is not in: %s", expected, shortened);
}

/* ---- JavaScript ---- */

static void js_server(const char *scratch, const char *name)
{
    free(scratch_file(scratch, name, "console.log(`Debug server listening at ${where}`)\n"));
}

static void js_debug(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/node");
    js_server(scratch, "adapters/js-debug/src/dapDebugServer.js");
    struct launch_plan *made = plan(scratch, "work/a.mjs", (struct adapter_request){ .env = STRINGS("A=1", "GONE") });
    assert_string_equal(made->adapter_id, "js-debug");
    assert_string_equal(made->adapter_type, "pwa-node");
    assert_int_equal(made->command.transport, SESSION_TCP);
    assert_int_equal(made->command.port, 0);
    assert_string_equal(made->command.announcement, "Debug server listening at 127.0.0.1:${port}");
    assert_int_equal(made->quirks, QUIRK_JS_EXIT_TEXT | QUIRK_INSPECTOR_TALKS | QUIRK_PROGRAM_IS_CHILD | QUIRK_STAYS |
                                       QUIRK_LOGS_AT_EACH_HIT | QUIRK_SHALLOW_PREVIEWS | QUIRK_COPIES_SCOPES |
                                       QUIRK_MODULES_EXPENSIVE | QUIRK_STOPS_IN_CODE | QUIRK_TELLS_BAD_CONDITIONS |
                                       QUIRK_STOPS_UNDECIDED | QUIRK_CUTS_INSIDE);
    check_list(scratch, made->command.argv, "@/bin/node|@/adapters/js-debug/src/dapDebugServer.js|0|127.0.0.1");
    check_list(scratch, made->command.env, "");
    check_list(scratch, made->exception_filters, "uncaught");
    check_arguments(
        scratch, made,
        "{\"type\":\"pwa-node\",\"request\":\"launch\",\"name\":\"program\",\"program\":\"@/work/a.mjs\",\"args\":[\"a b\","
        "\"c\"],\"cwd\":\"@/work\",\"env\":{\"A\":\"1\",\"GONE\":null},\"stopOnEntry\":false,\"console\":\"integratedTerminal\","
        "\"outputCapture\":\"console\",\"skipFiles\":[\"<node_internals>/**\"],\"__breakOnConditionalError\":true}");
    launch_plan_free(made);
}

/* The wrapper that package managers install runs node itself. */
static void js_debug_by_its_wrapper(void **state)
{
    const char *scratch = *state;
    program(scratch, "home/.local/share/nvim/mason/bin/js-debug-adapter");
    check_command(scratch, "work/a.js", "@/home/.local/share/nvim/mason/bin/js-debug-adapter|0|127.0.0.1");
    program(scratch, "bin/js-debug-adapter");
    check_command(scratch, "work/a.js", "@/bin/js-debug-adapter|0|127.0.0.1");
}

/* vsDebugServer.js of js-debug speaks a protocol of Visual Studio's own: initialize works, and then nothing does. Its name is no proof,
 * since an npm package carries the right script under it. */
static void js_debug_by_content(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/node");
    free(scratch_file(scratch, "adapters/js-debug/vsDebugServer.js", "console.log(`Listening at ${where}`)\n"));
    check_refused(scratch, "js-debug",
                  "; @/adapters/js-debug/vsDebugServer.js is the server for Visual Studio, with a protocol of its own; the one for "
                  "DAP is dapDebugServer.js. To install it: ");
    js_server(scratch, "adapters/js-debug/vsDebugServer.cjs");
    check_command(scratch, "work/a.js", "@/bin/node|@/adapters/js-debug/vsDebugServer.cjs|0|127.0.0.1");
}

static void js_debug_without_node(void **state)
{
    const char *scratch = *state;
    js_server(scratch, "home/js-debug/src/dapDebugServer.js");
    check_refused(scratch, "js-debug", "; @/home/js-debug/src/dapDebugServer.js is here, but not what runs it: node, nodejs.");
}

/* Node.js 20 fails over the first type in a TypeScript source. The project's own tsx goes before one on PATH. */
static void typescript(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/js-debug");
    struct launch_plan *made = plan(scratch, "work/src/a.ts", (struct adapter_request){ 0 });
    assert_null(yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "runtimeExecutable"));
    launch_plan_free(made);
    static const char *const runners[] = { "bin/tsx", "work/node_modules/.bin/tsx" };
    for (size_t i = 0; i < COUNT_OF(runners); i++) {
        program(scratch, runners[i]);
        AUTO_FREE char *expected = scratch_path(scratch, runners[i]);
        made = plan(scratch, "work/src/a.ts", (struct adapter_request){ 0 });
        yyjson_mut_val *runner = yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "runtimeExecutable");
        assert_string_equal(yyjson_mut_get_str(runner), expected);
        launch_plan_free(made);
    }
    made = plan(scratch, "work/src/a.js", (struct adapter_request){ 0 });
    assert_null(yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "runtimeExecutable"));
    launch_plan_free(made);
}

static void check_source_map_folder(const char *scratch, const char *of, const char *expected)
{
    struct launch_plan *made = plan(scratch, of, (struct adapter_request){ 0 });
    yyjson_mut_val *folder = yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "__workspaceFolder");
    AUTO_FREE char *path = expected != NULL ? scratch_path(scratch, expected) : NULL;
    if (path == NULL)
        assert_null(folder);
    else
        assert_string_equal(yyjson_mut_get_str(folder), path);
    launch_plan_free(made);
}

/* js-debug reads the maps of one folder before the program runs, and binds too late what it does not find there. Packages of a repository
 * use each other; a home folder is never read, whatever lies in it. */
static void source_maps(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/js-debug");
    check_source_map_folder(scratch, "work/one/packages/a/dist/a.js", NULL);
    free(scratch_file(scratch, "work/one/packages/a/dist/a.js.map", "{}"));
    check_source_map_folder(scratch, "work/one/packages/a/dist/a.js", "work/one/packages/a/dist");
    free(scratch_file(scratch, "home/package.json", "{}"));
    check_source_map_folder(scratch, "home/scripts/b.js", NULL);
    free(scratch_file(scratch, "work/package.json", "{}"));
    free(scratch_file(scratch, "work/one/package.json", "{}"));
    free(scratch_file(scratch, "work/one/packages/a/tsconfig.json", "{}"));
    check_source_map_folder(scratch, "work/one/packages/a/dist/a.js", "work/one/packages/a");
    free(scratch_file(scratch, "work/one/.git/HEAD", ""));
    check_source_map_folder(scratch, "work/one/packages/a/dist/a.js", "work/one");
}

/* ---- Go ---- */

static void dlv(void **state)
{
    const char *scratch = *state;
    program(scratch, "home/go/bin/dlv");
    free(scratch_file(scratch, "work/go.mod", ""));
    free(scratch_file(scratch, "work/app/main.go", "package main\n\nfunc main() {\n}\n"));
    free(scratch_file(scratch, "work/app/more.go", "package main\n"));
    struct launch_plan *made = plan(scratch, "work/app/main.go", (struct adapter_request){ .stop_on_entry = true });
    assert_string_equal(made->adapter_id, "dlv");
    assert_int_equal(made->command.transport, SESSION_TCP);
    assert_string_equal(made->command.announcement, "DAP server listening at: 127.0.0.1:${port}");
    check_list(scratch, made->command.argv, "@/home/go/bin/dlv|dap|--listen=127.0.0.1:0");
    check_arguments(scratch, made,
                    "{\"mode\":\"debug\",\"program\":\"@/work/app\",\"args\":[\"a b\",\"c\"],\"cwd\":\"@/work\","
                    "\"outputMode\":\"remote\",\"dlvCwd\":\"@/work/app\"}");
    launch_plan_free(made);
}

static void check_go(const char *scratch, const char *name, const char *mode, const char *target)
{
    struct launch_plan *made = plan(scratch, name, (struct adapter_request){ 0 });
    yyjson_mut_val *arguments = yyjson_mut_doc_get_root(made->arguments);
    AUTO_FREE char *expected = scratch_path(scratch, target);
    assert_string_equal(yyjson_mut_get_str(yyjson_mut_obj_get(arguments, "mode")), mode);
    assert_string_equal(yyjson_mut_get_str(yyjson_mut_obj_get(arguments, "program")), expected);
    launch_plan_free(made);
}

/* `dlv debug main.go` builds that file alone, and fails over what the package's other files define; but a folder of single scripts, each
 * with its own main, is no package. */
static void what_dlv_builds(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/dlv");
    free(scratch_file(scratch, "work/go.mod", ""));
    free(scratch_file(scratch, "work/app/main.go", "package main\n\nfunc main() {}\n"));
    free(scratch_file(scratch, "work/app/other.go", "package main\n"));
    check_go(scratch, "work/app/main.go", "debug", "work/app");
    check_go(scratch, "work/app", "debug", "work/app");
    check_go(scratch, "work/app/app_test.go", "test", "work/app");
    free(scratch_file(scratch, "work/library/library.go", "package library\n"));
    free(scratch_file(scratch, "work/library/library_test.go", "package library\n"));
    check_go(scratch, "work/library", "test", "work/library"); /* nothing else of it can run */
    free(scratch_file(scratch, "work/scripts/one.go", "package main\nfunc main() {}\n"));
    free(scratch_file(scratch, "work/scripts/two.go", "package main\nfunc main() {}\n"));
    check_go(scratch, "work/scripts/one.go", "debug", "work/scripts/one.go");
    free(scratch_file(scratch, "loose/one.go", "package main\nfunc main() {}\n"));
    check_go(scratch, "loose/one.go", "debug", "loose/one.go");
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".go.buildinfo" });
    free(scratch_bytes(scratch, "work/built", image, sizeof image, 0755));
    AUTO_FREE char *built = scratch_path(scratch, "work/built");
    struct adapter_choice choice;
    assert_int_equal(adapter_choose(built, NULL, &choice, NULL), 0);
    assert_string_equal(adapter_entry_id(choice.entry), "dlv");
    adapter_choice_done(&choice);
}

/* Go's own variables say where `go install` puts programs. */
static void dlv_where_go_installs(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *paths = xasprintf("relative:%s/one:%s/two", scratch, scratch);
    AUTO_FREE char *own = scratch_path(scratch, "own");
    setenv("GOPATH", paths, 1);
    program(scratch, "two/bin/dlv");
    check_command(scratch, "work/a.go", "@/two/bin/dlv|dap|--listen=127.0.0.1:0");
    setenv("GOBIN", own, 1);
    program(scratch, "own/dlv");
    check_command(scratch, "work/a.go", "@/own/dlv|dap|--listen=127.0.0.1:0");
}

/* ---- Ruby ---- */

/* rdbg is the program's own process: program, arguments, folder and variables are given where that is started. */
static void rdbg(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/rdbg");
    struct launch_plan *made = plan(scratch, "work/a.rb", (struct adapter_request){ .env = STRINGS("A=1", "GONE") });
    assert_string_equal(made->adapter_id, "rdbg");
    assert_int_equal(made->command.transport, SESSION_UNIX);
    assert_null(made->command.announcement);
    assert_int_equal(made->quirks, QUIRK_IS_THE_PROGRAM | QUIRK_WAITS_UNTOLD | QUIRK_ENTERS_AT_LINE_ZERO | QUIRK_HIDES_FAILURES |
                                       QUIRK_RETURNS_UNTOLD | QUIRK_LOOKS_AT_ONE_THREAD | QUIRK_RUBY_CONDITIONS);
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    assert_string_equal(made->command.cwd, cwd);
    check_list(scratch, made->command.argv, "@/bin/rdbg|--stop-at-load|--open|--sock-path=$SOCKET|--|@/work/a.rb|a b|c");
    check_list(scratch, made->command.env, "RUBY_DEBUG_LOG_LEVEL=FATAL|A=1|GONE");
    check_arguments(scratch, made, "{\"localfs\":true}");
    launch_plan_free(made);
}

/* A project's own gems go before those of the system; a name with a version is as good as one without. */
static void rdbg_of_the_project(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/rdbg3.1");
    check_command(scratch, "work/deep/a.rb", "@/bin/rdbg3.1|--stop-at-load|--open|--sock-path=$SOCKET|--|@/work/deep/a.rb|a b|c");
    program(scratch, "work/vendor/bundle/ruby/3.1.0/bin/rdbg");
    check_command(scratch, "work/deep/a.rb",
                  "@/work/vendor/bundle/ruby/3.1.0/bin/rdbg|--stop-at-load|--open|--sock-path=$SOCKET|--|@/work/deep/a.rb|a b|c");
}

/* A gem's program looks for the gem where Ruby's own lie, and would fail, or load another version; and Dapple's setting must not hide the
 * user's gems from a program that is debugged by the system's. */
static void gems_of_the_project(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/rdbg");
    struct launch_plan *made = plan(scratch, "work/deep/a.rb", (struct adapter_request){ 0 });
    check_list(scratch, made->command.env, "RUBY_DEBUG_LOG_LEVEL=FATAL");
    launch_plan_free(made);
    program(scratch, "work/vendor/bundle/ruby/3.1.0/bin/rdbg");
    made = plan(scratch, "work/deep/a.rb", (struct adapter_request){ 0 });
    check_list(scratch, made->command.env, "RUBY_DEBUG_LOG_LEVEL=FATAL|GEM_PATH=@/work/vendor/bundle/ruby/3.1.0/bin/..");
    launch_plan_free(made);
}

/* ---- Perl ---- */

/* Every system has perl; it debugs nothing without the module. */
static void perl(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/perl");
    AUTO_FREE char *lib = scratch_path(scratch, "lib");
    setenv("PERL5LIB", lib, 1);
    free(scratch_file(scratch, "lib/Perl/LanguageServer.pm", ""));
    struct launch_plan *made = plan(scratch, "work/a.pl", (struct adapter_request){ 0 });
    assert_int_equal(made->command.transport, SESSION_TCP);
    assert_null(made->command.announcement);
    check_list(scratch, made->command.argv,
               "@/bin/perl|-MPerl::LanguageServer|-e|Perl::LanguageServer::run|--|--port|$PORT|--nostdio|--version|2.5.0");
    check_arguments(scratch, made,
                    "{\"program\":\"@/work/a.pl\",\"args\":[\"a b\",\"c\"],\"cwd\":\"@/work\",\"env\":{},\"stopOnEntry\":true,"
                    "\"reloadModules\":false}");
    launch_plan_free(made);
}

/* ---- native ---- */

/* Editors' extensions lie in many folders; of several versions the newest is taken. */
static void codelldb_of_editors(void **state)
{
    const char *scratch = *state;
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".debug_info" });
    free(scratch_bytes(scratch, "work/app", image, sizeof image, 0755));
    static const char *const editors[] = { ".windsurf", ".vscode-oss", ".cursor", ".vscode-server", ".vscode" };
    for (size_t i = 0; i < COUNT_OF(editors); i++) {
        AUTO_FREE char *old = xasprintf("home/%s/extensions/vadimcn.vscode-lldb-1.9.2/adapter/codelldb", editors[i]);
        AUTO_FREE char *new = xasprintf("home/%s/extensions/vadimcn.vscode-lldb-1.11.0/adapter/codelldb", editors[i]);
        AUTO_FREE char *expected = xasprintf("@/%s", new);
        program(scratch, old);
        program(scratch, new);
        AUTO_FREE char *path = scratch_path(scratch, "work/app");
        AUTO_BUFFER struct buffer warnings;
        buffer_init(&warnings, 4096);
        struct launch_plan *made = NULL;
        struct adapter_request request = { .program = path, .cwd = scratch };
        assert_int_equal(adapter_plan(catalog_find("codelldb"), &request, &made, &warnings, NULL), 0);
        check_list(scratch, made->command.argv, expected);
        launch_plan_free(made);
    }
}

/* ---- those that the test suite cannot drive ---- */

/* Dapple fills in what the editor's side of the extension does: without any one of these bash-debug never answers. */
static void bash_debug(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/node");
    free(scratch_file(scratch, "home/.vscode/extensions/rogalmic.bash-debug-0.3.9/out/bashDebug.js", ""));
    struct launch_plan *made = plan(scratch, "work/a.sh", (struct adapter_request){ .stop_on_entry = true });
    check_list(scratch, made->command.argv, "@/bin/node|@/home/.vscode/extensions/rogalmic.bash-debug-0.3.9/out/bashDebug.js");
    check_arguments(
        scratch, made,
        "{\"type\":\"bashdb\",\"request\":\"launch\",\"name\":\"program\",\"program\":\"@/work/a.sh\",\"args\":[\"a b\",\"c\"],"
        "\"argsString\":\"\",\"cwd\":\"@/work\",\"env\":{},\"pathBash\":\"bash\","
        "\"pathBashdb\":\"@/home/.vscode/extensions/rogalmic.bash-debug-0.3.9/out/../bashdb_dir/bashdb\","
        "\"pathBashdbLib\":\"@/home/.vscode/extensions/rogalmic.bash-debug-0.3.9/out/../bashdb_dir\",\"pathCat\":\"cat\","
        "\"pathMkfifo\":\"mkfifo\",\"pathPkill\":\"pkill\",\"terminalKind\":\"debugConsole\"}");
    assert_true(made->stop_on_entry); /* the stop that it makes anyway is then not passed over */
    launch_plan_free(made);
}

/* The ${port} in its arguments is a placeholder of the adapter's, not of ours. */
static void php_debug(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/node");
    free(scratch_file(scratch, "adapters/php-debug/out/phpDebug.js", ""));
    struct launch_plan *made = plan(scratch, "work/a.php", (struct adapter_request){ 0 });
    check_list(scratch, made->command.argv, "@/bin/node|@/adapters/php-debug/out/phpDebug.js");
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/a.php\",\"args\":[\"a b\",\"c\"],\"cwd\":\"@/work\",\"runtimeExecutable\":\"php\","
        "\"runtimeArgs\":[\"-dxdebug.mode=debug\",\"-dxdebug.start_with_request=yes\",\"-dxdebug.client_port=${port}\"],"
        "\"port\":0,\"stopOnEntry\":false}");
    launch_plan_free(made);
}

static void kotlin(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/kotlin-debug-adapter");
    free(scratch_file(scratch, "work/build.gradle.kts", ""));
    free(scratch_file(scratch, "work/src/app.kt", "// an app\npackage org.example.app\n\nfun main() {}\n"));
    struct launch_plan *made = plan(scratch, "work/src/app.kt", (struct adapter_request){ 0 });
    check_arguments(scratch, made, "{\"projectRoot\":\"@/work\",\"mainClass\":\"org.example.app.AppKt\"}");
    launch_plan_free(made);
    made = plan(scratch, "work/src/Main.kt", (struct adapter_request){ 0 });
    check_arguments(scratch, made, "{\"projectRoot\":\"@/work\",\"mainClass\":\"MainKt\"}");
    launch_plan_free(made);
}

static void elixir(void **state)
{
    const char *scratch = *state;
    program(scratch, "adapters/elixir-ls/debug_adapter.sh");
    free(scratch_file(scratch, "work/mix.exs", ""));
    struct launch_plan *made = plan(scratch, "work/bin/a.exs", (struct adapter_request){ 0 });
    check_list(scratch, made->command.argv, "@/adapters/elixir-ls/debug_adapter.sh");
    check_arguments(
        scratch, made,
        "{\"type\":\"mix_task\",\"request\":\"launch\",\"name\":\"program\",\"task\":\"run\",\"taskArgs\":[\"@/work/bin/a.exs\","
        "\"a b\",\"c\"],\"projectDir\":\"@/work\",\"requireFiles\":[],\"exitAfterTaskReturns\":true}");
    launch_plan_free(made);
}

static void dotnet_and_dart(void **state)
{
    const char *scratch = *state;
    program(scratch, "home/.local/share/nvim/mason/packages/netcoredbg/netcoredbg/netcoredbg");
    check_command(scratch, "work/a.dll",
                  "@/home/.local/share/nvim/mason/packages/netcoredbg/netcoredbg/netcoredbg|--interpreter=vscode");
    program(scratch, "bin/dart");
    check_command(scratch, "work/a.dart", "@/bin/dart|debug_adapter");
}

/* ---- all ---- */

/* Asked to stop on entry, an adapter that cannot would run the program to its end without a word. One that has a way of its own is not warned of. */
static void no_stop_on_entry(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *path = scratch_file(scratch, "work/a.exs", "");
    free(scratch_file(scratch, "work/mix.exs", ""));
    program(scratch, "adapters/elixir-ls/debug_adapter.sh");
    program(scratch, "bin/rdbg");
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made = NULL;
    struct adapter_request request = { .program = path, .cwd = scratch, .stop_on_entry = true };
    assert_int_equal(adapter_plan(catalog_find("rdbg"), &request, &made, &warnings, NULL), 0);
    assert_string_equal(warnings.data, "");
    launch_plan_free(made);
    assert_int_equal(adapter_plan(catalog_find("elixir-ls"), &request, &made, &warnings, NULL), 0);
    assert_string_equal(warnings.data, "elixir-ls cannot stop on entry: set a breakpoint in the first line that is to be seen\n");
    launch_plan_free(made);
}

/* Perl's adapter is always told to stop on entry; launch arguments of an editor's can still ask to see that stop, and cannot switch it off. */
static void an_entry_that_is_always_made(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/perl");
    AUTO_FREE char *lib = scratch_path(scratch, "lib");
    setenv("PERL5LIB", lib, 1);
    free(scratch_file(scratch, "lib/Perl/LanguageServer.pm", ""));
    for (int asked = 0; asked <= 1; asked++) {
        const char *text = asked ? "{\"stopOnEntry\":true}" : "{\"stopOnEntry\":false}";
        yyjson_doc *given = yyjson_read(text, strlen(text), 0);
        struct launch_plan *made =
            plan(scratch, "work/a.pl", (struct adapter_request){ .launch_arguments = yyjson_doc_get_root(given) });
        yyjson_doc_free(given);
        yyjson_mut_val *arguments = yyjson_mut_doc_get_root(made->arguments);
        assert_true(yyjson_mut_get_bool(yyjson_mut_obj_get(arguments, "stopOnEntry")));
        assert_int_equal(made->stop_on_entry, asked);
        launch_plan_free(made);
    }
}

/* A message that names ${adapters} would send its reader into this catalog. */
static void places_in_messages(void **state)
{
    check_refused(
        *state, "js-debug",
        "no usable js-debug: looked for js-debug-adapter, js-debug on PATH and for dapDebugServer.js, dapDebugServer.cjs, "
        "vsDebugServer.cjs, vsDebugServer.js, in $DAPPLE_ADAPTERS (@/adapters/bin), in $DAPPLE_ADAPTERS/js-debug, "
        "$DAPPLE_ADAPTERS/js-debug/src, the project's node_modules/.bin, ~/.local/share/nvim/mason/");
    check_refused(*state, "js-debug",
                  ", in the extension folders of VS Code and its like (ms-vscode.js-debug-*/src). To install it: ");
    check_refused(*state, "dlv", "in $GOBIN, $GOPATH/bin, ~/go/bin, ");
}

/* Folders with letters that mean something in a pattern are folders like others. */
static void odd_project_folder(void **state)
{
    const char *scratch = *state;
    program(scratch, "work/[x]*/vendor/bundle/ruby/3.1.0/bin/rdbg");
    check_command(
        scratch, "work/[x]*/a.rb",
        "@/work/[x]*/vendor/bundle/ruby/3.1.0/bin/rdbg|--stop-at-load|--open|--sock-path=$SOCKET|--|@/work/[x]*/a.rb|a b|c");
}

/* Nothing at all is here: each says what was looked for, and how it is installed. */
static void all_missing(void **state)
{
    for (size_t i = 0; i < catalog_count(); i++) {
        const char *id = adapter_entry_id(catalog_entry(i));
        if (strcmp(id, "debugpy") != 0 && strcmp(id, "rdbg") != 0 &&
            strcmp(id, "lldb-dap") != 0) /* may be in folders of the system */
            check_refused(*state, id, "To install it: ");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(js_debug),
        TEST(js_debug_by_its_wrapper),
        TEST(js_debug_by_content),
        TEST(js_debug_without_node),
        TEST(typescript),
        TEST(source_maps),
        TEST(dlv),
        TEST(what_dlv_builds),
        TEST(dlv_where_go_installs),
        TEST(rdbg),
        TEST(rdbg_of_the_project),
        TEST(gems_of_the_project),
        TEST(perl),
        TEST(codelldb_of_editors),
        TEST(bash_debug),
        TEST(php_debug),
        TEST(kotlin),
        TEST(elixir),
        TEST(dotnet_and_dart),
        TEST(no_stop_on_entry),
        TEST(an_entry_that_is_always_made),
        TEST(places_in_messages),
        TEST(odd_project_folder),
        TEST(all_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
