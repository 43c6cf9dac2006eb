/* Words of other debuggers (gdb, pdb, LLDB, Delve, node inspect, rdbg) that are no commands here: what is typed in their place. */
#pragma once

#include <stddef.h>

/* `next` is the word behind it, as in "info locals", or NULL. The answer is a sentence with the exact command; NULL: nobody's word. */
const char *debugger_word(const char *word, const char *next);
/* All of them, for tests: the sentence and the word or the two words; NULL behind the last. */
const char *debugger_word_row(size_t index, const char **ret_word);
