/* What a debugger knows about a program, as plain data: frames, scopes, variables, breakpoints, stops.
 *
 * Every string is owned by its struct; *_done frees what is inside and takes half-built and zeroed structs.
 * The readers take one DAP object and are lenient: what is missing gets the value named here. (Specification, "Types".) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

/* A string of the adapter's with its length: it may hold NULs. data is NUL-terminated; NULL when absent. */
struct adapter_text {
    char *data;
    size_t len;
};

struct frame {
    int64_t adapter_id;       /* StackFrame.id */
    int64_t handle;           /* what we give out; 0 when none */
    char *name;               /* "" when absent */
    char *source_name;        /* NULL when absent */
    char *source_path;        /* NULL when absent; file: URIs decoded */
    int64_t source_reference; /* 0 when the path counts */
    int64_t line, column;     /* 0 when unknown */
    char *hint;               /* presentationHint, NULL */
    char *source_hint;        /* source.presentationHint, NULL */
    bool cannot_restart;      /* canRestart is false */
    char *instruction;        /* instructionPointerReference: a memory reference; NULL */
};

struct variable {
    struct adapter_text name, value, type;        /* type.data NULL when absent */
    char *evaluate_name;                          /* NULL */
    int64_t adapter_reference;                    /* 0: no children */
    int64_t handle;                               /* 0: no children, or no handle left */
    int64_t named, indexed;                       /* counts of children, -1 when not told */
    bool lazy;                                    /* presentationHint.lazy */
    bool group;                                   /* a node the adapter made up: "special variables", kind "virtual" */
    char *memory_reference;                       /* NULL */
    int64_t value_location, declaration_location; /* adapter's references for `locations`; 0: none */
    int64_t value_location_handle;                /* ours, for the first; 0: none */
};

struct scope {
    char *name;
    char *hint; /* arguments, locals, registers, returnValue; NULL */
    int64_t adapter_reference, handle;
    int64_t named, indexed; /* -1 when not told */
    int64_t line, end_line; /* that it spans; 0: not told */
    bool expensive;
    bool expanded; /* variables were read */
    struct variable *variables;
    size_t count;  /* variables held */
    size_t total;  /* variables that there are, as far as known */
    char *failure; /* why the variables could not be read; NULL */
};

struct exception_info {
    char *id;          /* exceptionId */
    char *description; /* NULL */
    char *break_mode;  /* NULL */
    char *type_name;   /* details.typeName or fullTypeName; NULL */
    char *message;     /* details.message; NULL */
    char *stack_trace; /* details.stackTrace; NULL */
};

enum breakpoint_kind {
    BREAKPOINT_SOURCE,      /* a line of a file */
    BREAKPOINT_FUNCTION,    /* the entry of a function, by its name */
    BREAKPOINT_DATA,        /* an access to a value */
    BREAKPOINT_INSTRUCTION, /* an address */
    BREAKPOINT_EXCEPTION,   /* a filter of the adapter's, or exceptions by their name */
};
#define BREAKPOINT_KINDS 5

/* What the user asked for. */
struct desired_breakpoint {
    int64_t line;        /* 0 unless SOURCE */
    char *condition;     /* NULL */
    int64_t column;      /* 0: the whole line */
    char *hit_condition; /* how many hits it takes: "3", ">= 3", "% 3", …; NULL */
    char *log_message;   /* written instead of stopping, {expression} filled in; NULL */
    char *mode;          /* one of the adapter's breakpointModes; NULL */
    bool disabled;       /* kept, and not sent */
    int64_t
        number; /* ours, by which the user names it: unique within the session, and kept while it is desired; 0: not given yet */
    enum breakpoint_kind kind;
    char *name;    /* FUNCTION: its name; DATA: what was asked for; INSTRUCTION: the reference; EXCEPTION: the filter's id, or with
                          break_mode the exception's name; NULL for SOURCE */
    char *data_id; /* DATA, of dataBreakpointInfo */
    char *description;   /* DATA: the adapter's words on what is watched; NULL */
    char *access_type;   /* DATA: read, write, readWrite; NULL: as the adapter likes */
    bool persists;       /* DATA: the id outlives the program; else it is of use in this launch only */
    bool expired;        /* DATA: its program has ended; kept to be shown, and not sent */
    int64_t offset;      /* INSTRUCTION: bytes from the reference */
    char *break_mode;    /* EXCEPTION: never, always, unhandled, userUnhandled; NULL: by filter */
    bool emulation_told; /* that a part of it is emulated was said */
    bool shares_place;   /* SOURCE: with another that is on, and one of them asks for more than a stop */
    char *place_path;    /* FUNCTION, emulated: where it begins; NULL: not looked for, or not found: */
    int64_t place_line;
    char *place_failure; /* why it was not found; NULL */
    bool of_launch;      /* EXCEPTION: dap_launch asked for it (stop_on_exceptions), and the next launch asks anew */
    bool launched;       /* a program has been launched with it, */
    bool earlier;        /* and another one since: it was not asked for with this launch */
};

enum breakpoint_state { BREAKPOINT_PENDING, BREAKPOINT_BOUND, BREAKPOINT_FAILED };

/* What became of a breakpoint in this launch. Of one that the adapter does alone, only its stops are known. */
struct breakpoint_counts {
    uint64_t arrivals; /* the program came to it */
    uint64_t hits;     /* and its condition held */
    uint64_t stops, logs;
    uint64_t faults;     /* its condition could not be evaluated, the last time since: */
    char fault[256];     /* in one line, maybe cut */
    bool fault_told;     /* and no stop has said so yet */
    int64_t faulty_stop; /* the stop that said so last; 0: none */
};

/* What a target answered for one desired breakpoint. */
struct bound_breakpoint {
    enum breakpoint_state state;
    bool has_id;
    int64_t id;
    bool has_line;
    int64_t line, column; /* column 0: not told */
    char *message;        /* NULL */
    char *source_name, *source_path;
    bool hit; /* the program came to it in this launch */
    struct breakpoint_counts counts;
    uint32_t owner; /* the channel of the target that told this */
};

/* What is sent together in one request: the breakpoints of a file, or all of another kind. */
struct breakpoint_list {
    enum breakpoint_kind kind;
    char *path; /* SOURCE: absolute, as the user spelled it; else NULL */
    struct desired_breakpoint *desired;
    struct bound_breakpoint *bound; /* same count; only meaningful while a session is active */
    size_t count;
};

/* The parts of a breakpoint that Dapple does itself where an adapter does not. */
enum emulated_part { EMULATED_CONDITION = 1u << 0, EMULATED_HITS = 1u << 1, EMULATED_LOG = 1u << 2, EMULATED_FUNCTION = 1u << 3 };

char *path_of_uri(const char *path); /* file: URIs decoded, all else copied; heap memory of the caller's */
bool threads_list(yyjson_val *threads, int64_t adapter_thread); /* is it one of them? */
void frame_read(yyjson_val *object, struct frame *ret);
struct frame frame_copy(const struct frame *frame);
void frame_done(struct frame *frame);
void frames_free(struct frame *frames, size_t count);
void variable_read(yyjson_val *object, struct variable *ret);
void evaluation_read(yyjson_val *body, struct variable *ret);
void variable_done(struct variable *variable);
void variables_free(struct variable *variables, size_t count);
void scope_read(yyjson_val *object, struct scope *ret);
void scope_done(struct scope *scope);
void scopes_free(struct scope *scopes, size_t count);
/* debugpy writes a note for its user behind the name; heap memory of the caller's. */
char *exception_name(const char *told);
void exception_info_read(yyjson_val *body, struct exception_info *ret);
void exception_info_done(struct exception_info *info);
const char *breakpoint_kind_name(enum breakpoint_kind kind); /* "source", "function", … */
/* "/w/a.py:3", "function main", "data total (write)", "instruction 0x40 + 8", "exception uncaught"; heap memory of the caller's. `path` is
 * how the file is to be shown; NULL for other kinds. */
char *breakpoint_place(const char *path, const struct desired_breakpoint *breakpoint);
struct desired_breakpoint desired_breakpoint_copy(const struct desired_breakpoint *breakpoint);
bool desired_breakpoint_same(const struct desired_breakpoint *a, const struct desired_breakpoint *b); /* whatever its number */
bool desired_breakpoint_same_place(const struct desired_breakpoint *a,
                                   const struct desired_breakpoint *b); /* whatever its options */
struct desired_breakpoint *desired_breakpoints_copy(const struct desired_breakpoint *list, size_t count);
void desired_breakpoints_free(struct desired_breakpoint *list, size_t count);
void bound_breakpoint_read(yyjson_val *object, struct bound_breakpoint *ret);
void bound_breakpoint_done(struct bound_breakpoint *breakpoint);
/* "condition and log message", of enum emulated_part; heap memory of the caller's; NULL: nothing. */
char *emulated_parts(unsigned parts);
