/* Results in the words of the command line: hints are translated, what is the program's is not. */
#include "cli/words.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/command_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is(const char *text, const char *wanted)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_TEXT_BYTES);
    words_write(&out, NULL, text);
    assert_string_equal(out.data, wanted);
}

static void hints(void **state)
{
    (void)state;
    is("dap_status looks again, dap_stop ends it\n", "dapple status looks again, dapple stop ends it\n");
    is("  … more: dap_stack start=6\n", "  … more: dapple stack --start 6\n");
    is("  … more: dap_variables variables_reference=30005 start=102\n", "  … more: dapple vars --reference 30005 --start 102\n");
    is("others: a, b (dap_variables frame_id=30001 shows all 11)\n", "others: a, b (dapple vars --frame 30001 shows all 11)\n");
    is("dap_stop ends it; each with session=worker\n", "dapple stop ends it; each with --session worker\n");
    is("Dapple: gone; dap_stack gives fresh ids", "dapple: gone; dapple stack gives fresh ids");
    is("dap_next.", "dapple next.");
    is("Dapple: /cwd: nowhere; /cwd\n", "dapple: --cwd: nowhere; /cwd\n");
    is("Dapple: /breakpoints/0/line: none\n", "dapple: --break: none\n");
    is("Dapple: invalid arguments: /breakpoints/1/line is missing\n", "dapple: --break (number 2): line is missing\n");
    is("Dapple: /breakpoints/1/match: none\n", "dapple: --break (number 2): none\n");
    is("Dapple: /breakpoints/11\n", "dapple: --break (number 12)\n");
    is("Dapple: /home/me: none\n", "dapple: /home/me: none\n");
    is("dap_stop kill=true ends it; dap_stop kill=false\n", "dapple stop --kill ends it; dapple stop --no-kill\n");
}

static void failures(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_TEXT_BYTES);
    words_write(
        &out, command_line_verb("launch"),
        "Warning: give stop_on_entry=true\nDapple: /cwd: /x is no folder\nDapple: invalid arguments: /breakpoints/0 is wrong; "
        "stop_on_exceptions=all\nDapple: /nothing: x\nstopped cwd=/x\n");
    assert_string_equal(out.data, "Warning: give --stop-on-entry\ndapple: --cwd: /x is no folder\ndapple: --break is wrong; "
                                  "--stop-on-exceptions all\ndapple: /nothing: x\nstopped cwd=/x\n");
}

/* Names of arguments in sentences of ours; those of the adapter and of the program stay. */
static void names(void **state)
{
    (void)state;
    static const char *const said[][2] = {
        { "Dapple: frame_id 7 was never given out; call dap_stack\n",
          "dapple: --frame 7 was never given out; call dapple stack\n" },
        { "Dapple: variables_reference 7 is old; call dap_variables with a frame_id of this stop\n",
          "dapple: --reference 7 is old; call dapple vars with a --frame of this stop\n" },
        { "Dapple: /path: no \"frame_id\" in it; there is frame_id\n", "dapple: PATH: no \"frame_id\" in it; there is frame_id\n" },
        { "Dapple: variables request failed: frame_id 7\n", "dapple: variables request failed: frame_id 7\n" },
        { "Dapple: give one of path, frame_id and depth: not several path\n",
          "dapple: give one of PATH, --frame and --depth: not several path\n" },
        { "Dapple: session: no such thing\n", "dapple: --session: no such thing\n" },
        { "Dapple: there: session\n", "dapple: there: session\n" },
        { "Warning: leave frame_id out\n", "Warning: leave --frame out\n" },
        { "  frame_id: int = 7\n", "  frame_id: int = 7\n" },
    };
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        AUTO_BUFFER struct buffer out;
        buffer_init(&out, LIMIT_TEXT_BYTES);
        words_write(&out, command_line_verb("vars"), said[i][0]);
        assert_string_equal(out.data, said[i][1]);
    }
}

static void marked(void **state)
{
    (void)state;
    static const char text[] =
        "locals (1\001, --frame 5\002):\n  a: list = []\001 [--reference 6]\002\n|\001x\002\n   1 | \001y\002\n";
    AUTO_BUFFER struct buffer kept, left_out;
    buffer_init(&kept, LIMIT_TEXT_BYTES);
    buffer_init(&left_out, LIMIT_TEXT_BYTES);
    words_hints(&kept, text, true);
    words_hints(&left_out, text, false);
    assert_string_equal(kept.data, "locals (1, --frame 5):\n  a: list = [] [--reference 6]\n|\001x\002\n   1 | \001y\002\n");
    assert_string_equal(left_out.data, "locals (1):\n  a: list = []\n|\001x\002\n   1 | \001y\002\n");
    is("a\001 [dap_next]\002\n", "a [dapple next]\n");
    buffer_clear(&left_out);
    words_hints(&left_out, "a\n\001called from: …\001 (dap_stack)\002\002\n\nb\n", false);
    assert_string_equal(left_out.data, "a\n\nb\n");
}

static void others_words(void **state)
{
    (void)state;
    /* what is no tool, or only part of a word */
    is("dap_nothing dap_nextt xdap_next dap_\n", "dap_nothing dap_nextt xdap_next dap_\n");
    is("session=worker\n", "--session worker\n");
    is("start=6\n", "start=6\n");
    /* output, source, names and values of the program */
    is("| dap_next session=x\n|! dap_next\n|# dap_next\n", "| dap_next session=x\n|! dap_next\n|# dap_next\n");
    is("   86 | dap_next()\n-> 87 | dap_next()\n", "   86 | dap_next()\n-> 87 | dap_next()\n");
    is("  dap_next: str = 'dap_stack start=6'\n", "  dap_next: str = 'dap_stack start=6'\n");
    is("  size: int = (not read yet; dap_variables reads it)\n", "  size: int = (not read yet; dapple vars reads it)\n");
    is("", "");
    is("\n\n", "\n\n");
}

static void colours(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_TEXT_BYTES);
    words_colour(&out, "stopped (step) at a.c:1\n   1 | x\n| out\n");
    assert_string_equal(out.data, "\033[1;33mstopped (step) at a.c:1\033[0m\n   1 | x\n| out\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints),  cmocka_unit_test(failures),     cmocka_unit_test(names),
        cmocka_unit_test(marked), cmocka_unit_test(others_words), cmocka_unit_test(colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
