#include "verb/python_statement.h"

#include "base/memory.h"
#include "json/json.h"

#include <string.h>

/* As text of Python's: what JSON escapes, Python reads alike. */
static char *quoted(const char *text)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(doc, json_new_string(doc, text, strlen(text)));
    char *literal = json_write(doc, NULL);
    yyjson_mut_doc_free(doc);
    return literal;
}

char *python_statement(const char *statement)
{
    /* Behind it, also where it failed half-way: of the names that it binds (symtable), those of the module (g) that are none of the function's
     * own (CO_OPTIMIZED is 1: it is one) go from debugpy's copy (m) to the module. The copy gets back what it had at first (i), so that
     * debugpy makes no variable of the frame of them; one that an earlier evaluation has made goes. A debugpy that has other names for
     * these copies runs the statement, and leaves it at that. */
    static const char text[] =
        "try: exec(__import__('textwrap').dedent(%s))\n"
        "finally: [(g.__setitem__(n, m[n]) if n in m else g.pop(n), m.__setitem__(n, i[n]) if same else m.pop(n, None)) "
        "for w in [f.f_locals for f, _ in __import__('traceback').walk_stack(__import__('sys')._getframe()) "
        "if f.f_code.co_name == 'evaluate_expression' and {'frame', 'updated_globals', 'initial_globals'} <= "
        "f.f_locals.keys()][:1] "
        "for c, g, m, i in [(w['frame'].f_code, w['frame'].f_globals, w['updated_globals'], w['initial_globals'])] "
        "if c.co_flags & 1 "
        "for s in __import__('symtable').symtable(__import__('textwrap').dedent(%s), '<string>', 'exec').get_symbols() "
        "if s.is_assigned() or s.is_imported() "
        "for n in [s.get_name()] if n in g and n in i and n not in c.co_varnames + c.co_cellvars + c.co_freevars "
        "for same in [i[n] is g[n]]]";
    if (strstr(statement, "await") != NULL)
        return xstrdup(statement); /* it works as it stands alone, in a thread of debugpy's */
    AUTO_FREE char *literal = quoted(statement);
    return xasprintf(text, literal, literal);
}
