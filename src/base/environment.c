#include "base/environment.h"

#include <stddef.h>

extern char **environ;

char **environment_use(char **variables)
{
    char **before = environ;
    if (variables != NULL)
        environ = variables;
    return before;
}

char **environment_in_use(void)
{
    return environ;
}
