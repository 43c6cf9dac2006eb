/* Completion of the words of a command in a shell. The shells' scripts know nothing themselves: each asks `dapple __complete WORD…`. */
#pragma once

int completion_main(int argc, char **argv); /* dapple completion bash|zsh|fish: the script; argv[0] is the word "completion" */

/* dapple __complete WORD…: the words after "dapple", up to and with the one that is being typed, which may be empty. Prints what it can
 * become, one per line: the word, a tab, what it means; and as a line ":files" where names of files can stand, too. It starts no daemon,
 * and ends by itself within two seconds. */
int complete_main(int argc, char **argv);
