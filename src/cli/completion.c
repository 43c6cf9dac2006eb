#include "cli/completion.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const char bash[] =
    "# dapple completion bash\n"
    "_dapple() {\n"
    "    local line word\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r word; do\n"
    "                COMPREPLY+=(\"$word\")\n"
    "            done < <(compgen -f -- \"$2\")\n"
    "        else\n"
    "            printf -v word %q \"${line%%$'\\t'*}\"\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _dapple dapple\n";

static const char zsh[] = "#compdef dapple\n"
                          "# dapple completion zsh\n"
                          "_dapple() {\n"
                          "    local line files\n"
                          "    local -a found\n"
                          "    for line in \"${(@f)$(${~words[1]} __complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
                          "        if [[ $line == :files ]]; then\n"
                          "            files=1\n"
                          "        elif [[ -n $line ]]; then\n"
                          "            found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
                          "        fi\n"
                          "    done\n"
                          "    (( $#found )) && _describe -V dapple found\n"
                          "    [[ -n $files ]] && _files\n"
                          "}\n"
                          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                          "    _dapple \"$@\"\n"
                          "else\n"
                          "    compdef _dapple dapple\n"
                          "fi\n";

static const char fish[] = "# dapple completion fish\n"
                           "function __dapple_complete\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -l word (commandline -ct)\n"
                           "    for line in ($words[1] __complete $words[2..-1] \"$word\" 2>/dev/null)\n"
                           "        if test \"$line\" = :files\n"
                           "            __fish_complete_path \"$word\"\n"
                           "        else\n"
                           "            printf '%s\\n' $line\n"
                           "        end\n"
                           "    end\n"
                           "end\n"
                           "complete -c dapple -f -k -a '(__dapple_complete)'\n";

static const struct {
    const char *name, *script;
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

int completion_main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < COUNT_OF(shells); i++) {
        if (strcmp(argv[1], shells[i].name) == 0) {
            fputs(shells[i].script, stdout);
            return 0;
        }
    }
    fputs("usage: dapple completion bash | zsh | fish\n", stderr);
    return 2;
}
