/* Conditions in Ruby and Perl, whose debuggers take one that fails for a false one: Ruby's prints why among the output of the program, Perl's
 * says nothing. With a guard around it, the condition that fails is true, and the reason is kept where it can be asked for. */
#include "session/breakpoints.h"

#include <string.h>

static const char mark[] = "dapple: it failed: "; /* in the value of one that is evaluated by request */

static const char ruby_kept[] = "::Thread.current[:dapple_failed]", perl_kept[] = "$DB::dapple_failed";

/* In single quotes, for both languages. */
static char *quoted(const char *condition)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, SIZE_MAX / 2);
    for (const char *at = condition; *at != '\0'; at++) {
        if (*at == '\\' || *at == '\'')
            buffer_addc(&text, '\\');
        buffer_addc(&text, *at);
    }
    return buffer_take(&text, NULL);
}

static char *ruby_guard(const char *condition, bool native)
{
    AUTO_FREE char *text = quoted(condition);
    static const char why[] = "\"#{$!.class}: #{$!.message}\"";
    if (native)
        return xasprintf("(%s = nil; begin; eval('%s', nil, 'condition'); rescue ::Exception; %s = %s; true; end)", ruby_kept, text,
                         ruby_kept, why);
    return xasprintf("(begin; eval('%s', nil, 'condition'); rescue ::Exception; '%s' + %s; end)", text, mark, why);
}

/* What is strict in the line where the program stands is strict in the condition: a name of nothing is no text then. An expression that is
 * evaluated by request has other texts put in the place of its variables, also within quotes: there it is only told from one that failed,
 * which has no value. */
static char *perl_guard(const char *condition, bool native)
{
    static const char strict[] = "local $@; local $DB::dapple_hints = 0; "
                                 "for (0 .. 9) { my @c = caller($_); if (@c && $c[3] eq 'DB::DB') { $DB::dapple_hints = $c[8] & "
                                 "0x602; last } } ";
    if (!native)
        return xasprintf("(%s) ? 1 : 0", condition);
    AUTO_FREE char *text = quoted(condition);
    return xasprintf("do { %s%s = ''; my $dapple = eval 'BEGIN { $^H |= $DB::dapple_hints } %s'; "
                     "if ($@) { %s = $@; $dapple = 1 } $dapple }",
                     strict, perl_kept, text, perl_kept);
}

static char *guard(const struct session *session, const struct desired_breakpoint *desired, bool native)
{
    bool ruby = session_quirk(session, QUIRK_RUBY_CONDITIONS), perl = session_quirk(session, QUIRK_PERL_EVALUATION);
    bool at_place = desired->kind == BREAKPOINT_SOURCE || desired->kind == BREAKPOINT_FUNCTION;
    if (desired->condition == NULL || !at_place || (!ruby && !perl))
        return xstrdup(desired->condition);
    return ruby ? ruby_guard(desired->condition, native) : perl_guard(desired->condition, native);
}

char *condition_to_send(const struct session *session, const struct desired_breakpoint *desired)
{
    return guard(session, desired, true);
}

char *condition_to_evaluate(const struct session *session, const struct desired_breakpoint *desired)
{
    return guard(session, desired, false);
}

/* Without the quotes that the debugger shows a text in, and without the place in Perl's own code. */
static char *bare(const char *text)
{
    const char *place = strstr(text, " at (eval ");
    size_t len = place != NULL ? (size_t)(place - text) : strlen(text);
    if (place == NULL && len > 0 && strchr("'\"", text[len - 1]) != NULL)
        len--;
    return xstrndup(text, len);
}

char *condition_failure(const struct session *session, const char *value)
{
    if (value == NULL)
        return session_quirk(session, QUIRK_PERL_EVALUATION) ? xstrdup("it has no value: Perl cannot evaluate it") : NULL;
    const char *found = strstr(value, mark);
    return found == NULL || found > value + 1 ? NULL : bare(found + sizeof(mark) - 1);
}

char *condition_kept_text(const char *value)
{
    if (value == NULL || strlen(value) < 3 || strchr("'\"", value[0]) == NULL)
        return NULL;
    return bare(value + 1);
}

const char *condition_kept_failure(const struct session *session)
{
    return session_quirk(session, QUIRK_RUBY_CONDITIONS)   ? ruby_kept
           : session_quirk(session, QUIRK_PERL_EVALUATION) ? perl_kept
                                                           : NULL;
}
