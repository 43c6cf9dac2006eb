/* Signals by number and by name. */
#pragma once

const char *signal_name(int number);  /* "SIGSEGV"; NULL when it has none here */
int signal_in_text(const char *text); /* the first signal whose name stands in the text; 0: none */
