/* The manual dapple(1), made from the table of operations. */
#pragma once

int man_main(int argc, char **argv); /* dapple man: roff on stdout; argv[0] is the word "man" */
