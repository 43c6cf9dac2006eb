/* `dapple doctor`: which adapters are here and work; or, with a program, what a launch of it would do. */
#pragma once

int doctor_main(int argc, char **argv); /* argv[0] is the word "doctor"; returns the exit status */
