/* Adapters that the user's settings define: a command line and a transport in place of the catalog's.
 *
 * A definition under a catalog adapter's id (or alias) replaces how that adapter is found and started; which programs it serves, its
 * launch arguments, its exception filters and its habits stay the catalog's. Under another id it gets plain launch arguments (program,
 * args, cwd, env, stopOnEntry), serves the extensions that it names, and any program when it is named. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct adapter_entry;
struct adapter_found;
struct adapter_search;
struct error;

/* Already checked: strings are not empty where that makes no sense, and have no NUL in them. */
struct adapter_definition {
    const char *id;
    const char *folder; /* absolute: where a relative command is looked for */
    const char
        *command; /* a name on PATH, a path, or a path from the home folder ("~/bin/x"); NULL, for an adapter of the catalog only:
                            it is found and started as ever */
    yyjson_val *args; /* list of strings; NULL: none. Taken as they are, but for $PORT with TCP, ${program}, ${cwd} and ${args} */
    yyjson_val *environment;    /* object; null removes a variable; NULL: as inherited */
    yyjson_val *extensions;     /* list of ".py" and the like that it is preferred for; NULL: none of its own */
    yyjson_val *claims_wrongly; /* list of capabilities that are not to be believed, besides the catalog's; NULL: none */
    bool tcp;                   /* else stdio */
    const char *host;           /* NULL: 127.0.0.1 */
    uint16_t port;              /* 0: one that is free */
};

/* Copies what it needs. Never NULL; the command is looked for when the adapter is to be started. */
struct adapter_entry *adapter_entry_define(const struct adapter_definition *definition);
void adapter_entry_free(struct adapter_entry *entry); /* takes NULL; only for those made here */

/* adapter_discover for such an entry. */
int adapter_discover_defined(const struct adapter_entry *entry, const struct adapter_search *search, struct adapter_found *ret,
                             struct error *ret_error);
