/* Hints in results: what tells how to look at something again, such as " [variables_reference 30004]".
 *
 * In results for a shell the arguments in them are called as the flags are, and each hint stands between two marks, which no foreign text
 * can have in it: a command after which nothing is left to look at leaves them out. */
#pragma once

#include <stdbool.h>

#define HINT_BEGIN '\001'
#define HINT_END '\002'

void hints_for_shell(bool shell); /* all results of this process: the daemon's are */
