/* Statements that debugpy runs for an evaluation. */
#pragma once

/* The statement, so that what it assigns to a variable of the module arrives there. debugpy runs it over a copy of all variables and puts what
 * has changed into the frame: in a function, a global variable's new value was a local one's that evaluations see, and the program never does.
 * Heap memory of the caller's. */
char *python_statement(const char *statement);
