/* `dapple trust`: lets a project's settings name commands, after the user has seen which. */
#pragma once

int trust_main(int argc, char **argv); /* argv[0] is the word "trust"; returns the exit status */
