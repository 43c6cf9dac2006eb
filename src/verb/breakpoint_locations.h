/* The request for the lines of a file where a breakpoint can be. */
#pragma once

#include <stdint.h>
#include <yyjson.h>

yyjson_mut_doc *breakpoint_locations_arguments(const char *path, int64_t line, int64_t end_line);
