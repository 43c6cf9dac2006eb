/* What `dapple doctor --json` says of one adapter. */
#pragma once

#include <yyjson.h>

struct examination;

/* An object: id, programs, support, tested_with, state, version, path, interpreter, answer_ms, reason, stderr, install. */
yyjson_mut_val *doctor_json_adapter(yyjson_mut_doc *doc, const struct examination *examination);
/* The lines of a text as a list of strings. */
yyjson_mut_val *doctor_json_lines(yyjson_mut_doc *doc, const char *text);
void doctor_json_print(yyjson_mut_doc *doc);                          /* consumes it */
const char *doctor_state_word(const struct examination *examination); /* works, fails, unusable, missing */
