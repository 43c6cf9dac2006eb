/* The environment that getenv reads and that started processes inherit: Dapple's own, or that of the client that is being served (the
 * daemon was started by another one, maybe long ago). One thread, so it is exchanged around what is done for a client. */
#pragma once

/* `variables`: NULL-terminated "NAME=value", and must stay as long as they are in use; NULL changes nothing. Returns what was in use, to
 * be given back. */
char **environment_use(char **variables);
char **environment_in_use(void);
