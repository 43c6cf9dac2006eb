/* What adapters want to know about a program that its path alone does not tell. Heap memory of the caller's everywhere. */
#pragma once

#include <stdbool.h>
#include <yyjson.h>

/* How delve gets at a Go program: "test" for a test's source and for a folder that has tests and no main function, "debug" for others, "exec" for what is built. */
const char *go_mode(const char *program);

/* What delve is to build or to run. A source alone is one file of its package: the package's folder is taken where the file lies in a
 * module and is the only one there that has a main function; a folder of single scripts is not one program. Of a test it is the folder. */
char *go_target(const char *program);

/* Where a toolchain of Rust keeps its printers for debuggers: that of rustup's stable toolchain, else of another, else the system's. NULL: none. */
char *rust_printers_folder(void);

/* What runs a TypeScript source where node itself may not: tsx of the project (node_modules/.bin from the program's folder upwards), else
 * on PATH. NULL: none, or another kind of source. */
char *typescript_runner(const char *program);

/* The class that Kotlin makes of a source file's top-level functions: "org.app.MainKt" for Main.kt of package org.app. */
char *kotlin_main_class(const char *program);

/* Where a debugger that reads maps ahead of the program looks for them: the outermost folder with a marker within the repository (packages
 * of one repository use each other's code), else the nearest; without any, the program's folder if its own map is there. NULL: none. */
char *source_map_folder(const char *program, yyjson_val *markers);

/* The nearest folder, from the program's upwards, that has one of the markers; NULL: none. */
char *project_folder(const char *program, yyjson_val *markers);
