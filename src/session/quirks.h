/* Quirks: what an adapter does that the protocol does not tell, by name in its declaration. Each has a test. This is the only list of them:
 * script/embed-json takes the names from here, and docs/adapters.md shows the same words (a test compares). */
#pragma once

#include <stdint.h>

#define ADAPTER_QUIRKS(X)                                                                                                      \
    /* starting, attaching and ending */                                                                                       \
    X(LAUNCH_LAST, "launch_last", "wants `launch` after `configurationDone`")                                                  \
    X(STOPS_AT_START, "stops_at_start", "stops before the first line, asked for or not")                                       \
    X(ENTERS_AT_LINE_ZERO, "enters_at_line_zero",                                                                              \
      "takes a breakpoint in line 0 for the program's first line with code: that stops it on entry")                           \
    X(ENTERS_AT_MAIN, "enters_at_main",                                                                                        \
      "stops on entry where there is no stack yet, and no step: a breakpoint at `main.main` stops it on entry")                \
    X(WAITS_UNTOLD, "waits_untold",                                                                                            \
      "waits for the configuration in a stop of its own, which it goes on from by itself, and sometimes tells of it")          \
    X(STOPS_AT_ATTACH, "stops_at_attach", "leaves a process that it has attached to standing")                                 \
    X(LEAVES_HALTED, "leaves_halted", "leaves a program standing, with our breakpoints in it, when it stands and we leave")    \
    X(STAYS, "stays", "listens for the next client when its session is over")                                                  \
    X(PROGRAM_IS_CHILD, "program_is_child",                                                                                    \
      "has the program as a child session: before that is there, nothing can be paused or asked")                              \
    X(IS_THE_PROGRAM, "is_the_program",                                                                                        \
      "is the program's own process: its output, and its exit status, are the program's; what it says on its socket "          \
      "before it knows the protocol is passed over")                                                                           \
    /* how the program ended */                                                                                                \
    X(GDB_SIGNALS, "gdb_signals",                                                                                              \
      "names no signal when it stops for one, and reports a death by a signal as exit code 0; its convenience variables "      \
      "know both")                                                                                                             \
    X(SIGNAL_AS_EXIT_CODE, "signal_as_exit_code", "reports a death by a signal as that signal's number")                       \
    X(SIGNAL_NEGATED, "signal_negated", "reports a death by a signal as 256 less that signal's number")                        \
    X(JS_EXIT_TEXT, "js_exit_text", "tells an exit code only in its root's output, `Process exited with code N`")              \
    X(DLV_EXIT_TEXT, "dlv_exit_text", "tells an exit code only in its output, `Process N has exited with status M`")           \
    /* output */                                                                                                               \
    X(TALKS_BEFORE_PROCESS, "talks_before_process",                                                                            \
      "sends its own words as the program's output until its `process` event, and while breakpoints are set")                  \
    X(TALKS_ON_STDERR, "talks_on_stderr", "sends its own words as stderr, and all that the program prints as stdout")          \
    X(INSPECTOR_TALKS, "inspector_talks",                                                                                      \
      "has Node's inspector write `Debugger attached.` and `Waiting for the debugger to disconnect...` among what the "        \
      "program prints, and has the program print why a condition failed: these lines are the debugger's")                      \
    X(IN_TRACEBACKS, "in_tracebacks",                                                                                          \
      "runs the program from code of its own, which is in each traceback that the program prints: these frames, and a "        \
      "warning of pydevd about itself, are shown as one line")                                                                 \
    X(READS_OUTPUT_LATE, "reads_output_late",                                                                                  \
      "(gdb) reads the program's output by lines in its own time, and loses the rest at its end: a mark is written "           \
      "behind it and waited for")                                                                                              \
    /* breakpoints */                                                                                                          \
    X(CLAIMS_UNRESOLVED, "claims_unresolved", "calls a breakpoint verified that has found no place (`Resolved locations: 0`)") \
    X(TAKES_ANY_FUNCTION, "takes_any_function",                                                                                \
      "calls a function breakpoint verified whatever its name: it counts as pending until it is hit")                          \
    X(LOCATES_ONE_LINE, "locates_one_line",                                                                                    \
      "of a range of lines, says of the first alone whether it has code: asked line by line")                                  \
    X(KEEPS_CONDITIONS, "keeps_conditions",                                                                                    \
      "keeps the condition of a breakpoint that is set again without one: it is taken away first")                             \
    X(NAMES_OR_FILTERS, "names_or_filters",                                                                                    \
      "passes over exception filters when exceptions are chosen by name: their breakpoints say so")                            \
    X(LOGS_UNENDED, "logs_unended", "writes log messages one behind the other: each is sent with a line end")                  \
    X(LOGS_AT_EACH_HIT, "logs_at_each_hit",                                                                                    \
      "does not keep to the condition or hit condition of a breakpoint with a log message: Dapple writes it then")             \
    X(COUNTS_BEFORE_CONDITION, "counts_before_condition",                                                                      \
      "of a condition and a hit condition needs only one: the hits are counted by Dapple then")                                \
    X(PASSES_FAILED_CONDITIONS, "passes_failed_conditions",                                                                    \
      "takes a condition that fails for a false one, and says nothing of an unknown name: it is told to stop there by its "    \
      "own request `setDebuggerProperty`, which it claims")                                                                    \
    X(STOPS_UNDECIDED, "stops_undecided",                                                                                      \
      "stops the program at a breakpoint whose condition fails, and does not tell so, or late: at such a stop it is "          \
      "evaluated once more, in the context `hover`, which changes nothing")                                                    \
    X(RUBY_CONDITIONS, "ruby_conditions",                                                                                      \
      "(rdbg) takes a condition that fails for a false one, and prints why among the program's output: it is sent "            \
      "with a guard around it, in Ruby, that stops the program and keeps the reason")                                          \
    X(CONDITION_AS_EXCEPTION, "condition_as_exception",                                                                        \
      "tells a condition that fails as an exception: where such a breakpoint is, it is a stop at that")                        \
    X(FAILS_UNTOLD, "fails_untold",                                                                                            \
      "answers for a breakpoint that it will never set, also for one where another one stands, in the words for one "          \
      "that it sets later: it has failed, and that is said")                                                                   \
    X(WATCHES_POINTEES, "watches_pointees",                                                                                    \
      "takes an expression whose data is to be watched for a pointer: sent with its address")                                  \
    X(WATCHES_BY_COMMAND, "watches_by_command",                                                                                \
      "(gdb) watches data by a command of its own alone: lldb-dap and codelldb, which have data breakpoints for the same "     \
      "programs, are named instead")                                                                                           \
    /* running and threads */                                                                                                  \
    X(LOSES_EARLY_PAUSE, "loses_early_pause",                                                                                  \
      "forgets a `pause` that comes right after a resume, and is blocked by a `threads` then: the known thread is "            \
      "paused, again if need be")                                                                                              \
    X(DIES_OF_STEP_OUT, "dies_of_step_out", "ends the program when it is to step out: that is refused")                        \
    X(RENAMES_THREADS, "renames_threads", "has one thread, and calls it by another id at each stop")                           \
    X(CALLS_STEPS_BREAKPOINTS, "calls_steps_breakpoints",                                                                      \
      "gives `breakpoint` as the reason of each step's end: where no breakpoint is, it is a step")                             \
    X(KEEPS_STEP, "keeps_step",                                                                                                \
      "keeps a step that another thread's breakpoint has interrupted, and tells any other step until that one is over as an "  \
      "exception: that is refused")                                                                                            \
    X(LOOKS_AT_ONE_THREAD, "looks_at_one_thread", "answers for the thread that stopped, whichever is named")                   \
    X(STEPS_ANOTHER_THREAD, "steps_another_thread", "names a thread that was stepped before as the one whose step is over")    \
    X(STACKS_WHILE_RUNNING, "stacks_while_running", "answers `stackTrace` of a thread that runs, with where it is just now")   \
    /* values */                                                                                                               \
    X(PYTHON_OBJECTS, "python_objects",                                                                                        \
      "shows an object of a class without a `repr` of its own by its address: its `__dict__` is shown beside the class")       \
    X(SHALLOW_PREVIEWS, "shallow_previews",                                                                                    \
      "shows of `this` the class alone, of objects in objects `{…}`, and what is inherited first: members are read for a "   \
      "better text")                                                                                                           \
    X(COPIES_SCOPES, "copies_scopes",                                                                                          \
      "shows the variables of a scope as they were when the program stopped, whatever was set since: what was set is "         \
      "read by its name")                                                                                                      \
    X(MODULES_EXPENSIVE, "modules_expensive",                                                                                  \
      "calls the variables of an ES module expensive: they are the locals of the module's own code, and are read")             \
    X(ASSIGNS_BETTER, "assigns_better",                                                                                        \
      "by `setVariable` refuses what it can assign (elements of arrays, enumerators, characters, addresses), or writes over "  \
      "what lies beside a bit-field: an expression is assigned to first")                                                      \
    X(ASSIGNS_BY_STATEMENT, "assigns_by_statement",                                                                            \
      "by `setVariable` says yes to a value that fails, and answers a `setExpression` of one never: a statement in `repl` "    \
      "assigns")                                                                                                               \
    X(CALLS_AS_RESUMES, "calls_as_resumes",                                                                                    \
      "tells a call of the program's functions by an evaluation as `continued`, and its end as a stop for the reason "         \
      "`function call`, or not at all")                                                                                        \
    X(RETURNS_UNTOLD, "returns_untold",                                                                                        \
      "does not tell that the program stands where it stood, when an evaluation that was stopped inside has ended")            \
    X(HIDES_FAILURES, "hides_failures",                                                                                        \
      "answers an evaluation that failed with success: an expression is not tried to find out whether a value exists")         \
    X(STATEMENTS_IN_REPL, "statements_in_repl",                                                                                \
      "takes an expression alone in the context `watch`, and runs a statement in `repl`: what is refused as no expression "    \
      "is run there, so that what it assigns to a variable of the module does not stay in the frame")                          \
    X(INVENTS_EXCEPTIONS, "invents_exceptions", "tells an exception of unknown type of a thread that has thrown none")         \
    X(KEEPS_EXCEPTION, "keeps_exception",                                                                                      \
      "has what was thrown as `__exception__` among the variables of the frame, and does not tell so")                         \
    X(ENDS_THREADS, "ends_threads",                                                                                            \
      "debugs a language in which an exception that nobody catches ends its thread, and the program only in the main one, "    \
      "which is number 1")                                                                                                     \
    X(TEST_RUNNERS_CATCH, "test_runners_catch",                                                                                \
      "debugs a language whose test runners catch what a test raises, and has a filter that stops there, `userUnhandled`: "    \
      "a run that failed says so")                                                                                             \
    X(PERL_EVALUATION, "perl_evaluation",                                                                                      \
      "(perl) answers an expression that failed, and a reference to code, with nothing, and has matched a pattern of its own " \
      "before: `$1`, `$2` and so on are that one's; both are said. A condition that fails is a false one to it, and a name "   \
      "of nothing a text: it is sent with a guard around it, in Perl, that stops the program and keeps the reason")            \
    X(TELLS_BAD_CONDITIONS, "tells_bad_conditions",                                                                            \
      "says only on stderr that the condition of a breakpoint is no expression: it is passed on as a warning")                 \
    X(CUTS_INSIDE, "cuts_inside", "shows a long text without its middle, and does not tell so: that is said")                  \
    X(STOPS_IN_CODE, "stops_in_code",                                                                                          \
      "has a pause take effect when the program runs code, and an idle one runs none: an empty expression is evaluated "       \
      "for it")                                                                                                                \
    X(HARMED_BY_CANCEL, "harmed_by_cancel",                                                                                    \
      "claims `cancel`, and when it is sent loses the `stopped` that ends an evaluation: none is sent")

enum adapter_quirk_number {
#define X(upper, lower, text) QUIRK_NUMBER_##upper,
    ADAPTER_QUIRKS(X)
#undef X
        QUIRK_COUNT,
};

_Static_assert(QUIRK_COUNT < 63, "a set of quirks has 63 bits");

/* As bits of a set. */
enum adapter_quirk {
#define X(upper, lower, text) QUIRK_##upper = INT64_C(1) << QUIRK_NUMBER_##upper,
    ADAPTER_QUIRKS(X)
#undef X
};
