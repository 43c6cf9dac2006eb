#include "adapter/language.h"

#include "base/memory.h"

#include <stddef.h>
#include <strings.h>

#define BUILD_C "compile it with -g -O0"
#define BUILD_RUST "build it with cargo build, or rustc -g"
#define BUILD_GO "build it with go build -gcflags='all=-N -l'"
#define BUILD_DOTNET "build it with dotnet build (the .dll that it makes is the executable)"
#define BUILD_OTHER "compile it with debug information (-g)"

static const struct language languages[] = {
    { ".c", "C", BUILD_C },
    { ".h", "C", BUILD_C },
    { ".cc", "C++", BUILD_C },
    { ".cpp", "C++", BUILD_C },
    { ".cxx", "C++", BUILD_C },
    { ".c++", "C++", BUILD_C },
    { ".hh", "C++", BUILD_C },
    { ".hpp", "C++", BUILD_C },
    { ".hxx", "C++", BUILD_C },
    { ".m", "Objective-C", BUILD_C },
    { ".mm", "Objective-C++", BUILD_C },
    { ".cu", "CUDA", BUILD_C },
    { ".s", "assembly", BUILD_OTHER },
    { ".asm", "assembly", BUILD_OTHER },
    { ".rs", "Rust", BUILD_RUST },
    { ".go", "Go", BUILD_GO },
    { ".zig", "Zig", BUILD_OTHER },
    { ".d", "D", BUILD_OTHER },
    { ".nim", "Nim", "compile it with --debugger:native" },
    { ".swift", "Swift", BUILD_OTHER },
    { ".f", "Fortran", BUILD_C },
    { ".for", "Fortran", BUILD_C },
    { ".f90", "Fortran", BUILD_C },
    { ".f95", "Fortran", BUILD_C },
    { ".f03", "Fortran", BUILD_C },
    { ".f08", "Fortran", BUILD_C },
    { ".adb", "Ada", BUILD_OTHER },
    { ".pas", "Pascal", BUILD_OTHER },
    { ".cr", "Crystal", BUILD_OTHER },
    { ".js", "JavaScript", NULL },
    { ".mjs", "JavaScript", NULL },
    { ".cjs", "JavaScript", NULL },
    { ".jsx", "JavaScript", NULL },
    { ".ts", "TypeScript", NULL },
    { ".mts", "TypeScript", NULL },
    { ".cts", "TypeScript", NULL },
    { ".tsx", "TypeScript", NULL },
    { ".rb", "Ruby", NULL },
    { ".php", "PHP", NULL },
    { ".sh", "shell scripts", NULL },
    { ".bash", "shell scripts", NULL },
    { ".zsh", "shell scripts", NULL },
    { ".pl", "Perl", NULL },
    { ".pm", "Perl", NULL },
    { ".lua", "Lua", NULL },
    { ".java", "Java", NULL },
    { ".jar", "Java", NULL },
    { ".class", "Java", NULL },
    { ".kt", "Kotlin", NULL },
    { ".kts", "Kotlin", NULL },
    { ".scala", "Scala", NULL },
    { ".cs", "C#", BUILD_DOTNET },
    { ".fs", "F#", BUILD_DOTNET },
    { ".dll", ".NET", NULL },
    { ".dart", "Dart", NULL },
    { ".ex", "Elixir", NULL },
    { ".exs", "Elixir", NULL },
    { ".erl", "Erlang", NULL },
    { ".hs", "Haskell", NULL },
    { ".ml", "OCaml", NULL },
    { ".jl", "Julia", NULL },
    { ".r", "R", NULL },
    { ".ps1", "PowerShell", NULL },
    { ".tcl", "Tcl", NULL },
    { ".cmake", "CMake", NULL },
};

const struct language *language_of_extension(const char *extension)
{
    for (size_t i = 0; i < COUNT_OF(languages); i++) {
        if (strcasecmp(languages[i].extension, extension) == 0)
            return &languages[i];
    }
    return NULL;
}
