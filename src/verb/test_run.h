/* What a run of tests that failed needs to hear: the runner catches what a test raises, so that nothing stopped. */
#pragma once

struct buffer;
struct call;

/* One line, when the program that has ended was a test runner, in which tests failed and no filter stopped. */
void test_run_describe(struct buffer *out, const struct call *call);
