/* dapple skill: the SKILL.md that teaches an agent with a shell to debug; printed, or written where agents look for it. */
#pragma once

int skill_main(int argc, char **argv); /* argv[0] is the word "skill" */
