/* Every limit of Dapple in one place. Reaching one is a clear message, never a crash and never silence. */
#pragma once

#define LIMIT_DAP_HEADER (64u * 1024)         /* bytes of one frame header */
#define LIMIT_DAP_BODY (64u * 1024 * 1024)    /* bytes of one frame body */
#define LIMIT_JSON_DEPTH 512                  /* nesting of one JSON text */
#define LIMIT_DAP_JUNK (4u * 1024)            /* junk bytes between frames kept for diagnosis */
#define LIMIT_DAP_IN_FLIGHT 1024              /* requests without an answer, per connection */
#define LIMIT_MCP_LINE (16u * 1024 * 1024)    /* bytes of one line from the host */
#define LIMIT_MCP_IN_FLIGHT 256               /* tool calls without an answer */
#define LIMIT_MCP_UNREAD (4u * 1024 * 1024)   /* bytes that wait for the host; then we stop reading from it */
#define LIMIT_CLI_LINE (8u * 1024 * 1024)     /* bytes of one request to the daemon: arguments and environment */
#define LIMIT_CLI_ANSWER (64u * 1024 * 1024)  /* bytes of one answer of the daemon's */
#define LIMIT_GUESTS 256                      /* clients of the daemon at once */
#define LIMIT_WORLDS 8                        /* places that the daemon remembers though nothing runs there */
#define LIMIT_DAEMON_LOG (1024u * 1024)       /* bytes of the daemon's log; then it begins again */
#define LIMIT_OUTPUT (1024u * 1024)           /* unread debuggee output kept per session, newest first */
#define LIMIT_STDERR (1024u * 1024)           /* adapter's stderr kept per session, newest first */
#define LIMIT_ENVIRONMENT_ENTRY (128u * 1024) /* bytes of one "NAME=value" for an adapter; Linux allows no more */
#define LIMIT_SUPERVISOR_COMMANDS 4096        /* bytes of unread commands in a supervisor */
#define LIMIT_SUPERVISOR_REPORTS 4096         /* bytes of one report of a supervisor */
#define LIMIT_SETTINGS_BYTES (1024u * 1024)   /* one file of settings */
#define LIMIT_CHANNELS 256                    /* connections to one adapter: child sessions */
#define LIMIT_TERMINAL_INPUT (1024u * 1024)   /* bytes that a program in a terminal has not read yet */
#define LIMIT_SESSIONS 64                     /* named sessions at once */
#define LIMIT_BREAKPOINTS_PER_FILE 1000
#define LIMIT_BREAKPOINT_FILES 200
#define LIMIT_HANDLES_PER_STOP 9999 /* frame and value handles of one stop */
#define LIMIT_FRAMES_PER_PAGE 1000
#define LIMIT_VARIABLES_PER_PAGE 10000
#define LIMIT_VARIABLES_READ 200000   /* of one value, to find one among them */
#define LIMIT_THREADS 300             /* listed in one result */
#define LIMIT_THREAD_FRAMES 20        /* read of each, down to the code of the user's that it waits for */
#define LIMIT_PATH_TEXT (64u * 1024)  /* bytes of the path to a value */
#define LIMIT_PATH_SEGMENTS 64        /* of it */
#define LIMIT_POINTERS_FOLLOWED 4     /* values with a single member, between one segment of a path and the next */
#define LIMIT_EVALUATIONS 50          /* expressions of one call */
#define LIMIT_EXCEPTION_CAUSES 20     /* of one exception */
#define LIMIT_TREE_DEPTH 5            /* of the members that one call shows */
#define LIMIT_ELEMENTS_UNPAGED 1000   /* of a value with named members beside: more are read by pages, without those */
#define LIMIT_TREE_VALUES 300         /* of them, each with a line */
#define LIMIT_TREE_BYTES (12u * 1024) /* of their lines */
#define LIMIT_TREE_REQUESTS 200       /* to the adapter for one tree */

#define LIMIT_TOLD 5000                 /* modules, and as many sources, kept as events told of them */
#define LIMIT_TOLD_BYTES 4096           /* one of them */
#define LIMIT_PROGRESS 32               /* long operations of an adapter at a time; the oldest are forgotten */
#define LIMIT_MEMORY_BYTES (64u * 1024) /* read or written by one call; as in verbs/read_memory.json */

/* What one result may show as text. */
#define LIMIT_TEXT_BYTES (16u * 1024)
#define LIMIT_TEXT_LINES 400
#define LIMIT_TEXT_BYTES_LEAST 2048 /* the settings may ask for less than the above, but not for less than these */
#define LIMIT_TEXT_LINES_LEAST 20
#define LIMIT_PACKET_BYTES (3u * 1024) /* stop packet with context "brief" */
#define LIMIT_PACKET_LINES 40
#define LIMIT_VALUE_BYTES 120               /* one value in a list or a stop packet */
#define LIMIT_EXCEPTION_BYTES (4u * 1024)   /* an exception's message, when it was asked for in full */
#define LIMIT_TRACE_LINES 100               /* of an exception's stack trace */
#define LIMIT_EXPRESSION_BYTES 120          /* an expression that is named beside its value */
#define LIMIT_EVALUATION_BYTES (4u * 1024)  /* the one value that was asked for */
#define LIMIT_OUTPUT_TEXT_BYTES (6u * 1024) /* newest debuggee output shown in one result */
#define LIMIT_OUTPUT_TEXT_LINES 60
#define LIMIT_RENDERED_BYTES (16u * 1024 * 1024) /* text of one result before it is cut to the above */
#define LIMIT_NAME_BYTES 200                     /* name of a function, variable, scope */
#define LIMIT_TYPE_BYTES 100                     /* a type's */
#define LIMIT_PATH_BYTES 500                     /* a path in a line */
#define LIMIT_MESSAGE_BYTES 500                  /* reason, description, exception's message, adapter's answer */
#define LIMIT_PACKET_VALUES 6                    /* a stop packet shows at least so many variables by value */
#define LIMIT_SOURCE_LINE_BYTES 160              /* a line of source in a stop packet */
#define LIMIT_SOURCE_BYTES (1024u * 1024)        /* read from a source file to find a line */
#define LIMIT_DESIRED_ROWS 1000                  /* desired breakpoints listed in one result */
#define LIMIT_SPILL_BYTES (64u * 1024 * 1024)    /* all files of results that were too long to show */
#define LIMIT_STDERR_TAIL_BYTES (2u * 1024)      /* adapter's stderr shown with a failure */
#define LIMIT_STDERR_TAIL_LINES 20

/* How many are listed unless the call says otherwise. */
#define DEFAULT_FRAMES 20
#define DEFAULT_VARIABLES 100
#define DEFAULT_COMPLETIONS 100

/* Default time-outs, milliseconds. */
#define TIMEOUT_STARTUP 10000u
#define TIMEOUT_REQUEST 10000u
#define TIMEOUT_LAUNCH 120000u
#define TIMEOUT_EXECUTION 30000u
#define TIMEOUT_PAUSE 10000u /* a program that runs code stands still much sooner */
#define TIMEOUT_SHUTDOWN 5000u
#define TIMEOUT_DAEMON_IDLE 600000u
