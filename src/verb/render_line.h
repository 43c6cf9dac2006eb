/* Pieces of lines, shared by the files that render results. Nothing here ends a line. */
#pragma once

#include "session/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/* Text of others, made safe for one line and cut. NULL adds nothing. */
void line_text(struct buffer *line, const char *text, size_t most);
bool line_adapter_text(struct buffer *line, const struct adapter_text *text, size_t most); /* true when cut */

/* "1,234": for counts, never for ids. */
void line_count(struct buffer *line, uint64_t count);
/* "1 variable", "1,234 variables" */
void line_counted(struct buffer *line, uint64_t count, const char *noun);

/* "lib/cart.py:88:9", "88:9" without a source, "libc.so" without a line; nothing when neither is known (then false). */
bool line_location(struct buffer *line, const struct frame *frame, const char *project);
/* " at lib/cart.py:88:9", and " at lib/cart.py:88:9 in total", without what is not known. */
void line_at_location(struct buffer *line, const struct frame *frame, const char *project);
void line_at_frame(struct buffer *line, const struct frame *frame, const char *project);

/* As utf8_one_line, but tabs stay. */
bool line_with_tabs(struct buffer *line, const char *text, size_t len, size_t most);
/* "-> 17 | text", "   17 | text": a line of source by its number, as wide as the last number shown; tabs stay. */
void line_source(struct buffer *line, const char *text, int64_t number, int64_t last, bool marked);

/* ": <the adapter's words>", or else ours. */
void line_reason(struct buffer *line, const char *message, const char *otherwise);

/* "lib/cart.py:88", "function total": where a breakpoint is. */
void line_breakpoint(struct buffer *line, const struct breakpoint_list *list, size_t index, const char *project);

/* Marked by the adapter as code that the user hardly wants to see. */
bool frame_is_unimportant(const struct frame *frame);

/* What tells how to look at something again stands between marks in results for a shell (verb/hint.h). */
void line_hint(struct buffer *line);
void line_hint_end(struct buffer *line);
const char *line_argument(const char *argument); /* "frame_id", or "--frame" */
/* The hint `before`, "frame_id 10001", `after`. */
void line_id(struct buffer *line, const char *before, const char *argument, int64_t id, const char *after);

/* " [variables_reference 30004]" when the variable has children. */
void line_reference(struct buffer *line, const struct variable *variable);
/* " [location_reference 30005]" when the adapter tells where the value comes from. */
void line_value_location(struct buffer *line, const struct variable *variable);
/* What was cut of values: a text alone, which an evaluation shows, or one with members: debuggers shorten that themselves. Bits of a set. */
enum cut { CUT_NONE = 0, CUT_TEXT = 1, CUT_MEMBERS = 2 };

/* "name: type = value [variables_reference 30004]". Returns whether the value was cut: then its length is told after the ellipsis. */
unsigned line_variable(struct buffer *line, const struct variable *variable);
unsigned line_variable_within(struct buffer *line, const struct variable *variable,
                              size_t most); /* with so many bytes of the value */
/* "values that end in … are cut: dap_evaluate shows up to 4,096 bytes": for lists with cut values. */
void line_cut_values(struct buffer *line, unsigned cut);
/* "the debugger lists no more of 1,000,000: …", for a container that has more elements than are listed */
void line_true_length(struct buffer *line, uint64_t length);

/* " session=worker": goes on from the arguments of a call that is named. NULL adds nothing. */
void line_session(struct buffer *line, const char *session);
