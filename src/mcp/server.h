/* The MCP server over stdio: `dapple mcp [--tools core|full|single] [--structured auto|on|off]`. Revisions 2024-11-05 to 2026-07-28.
 *
 * It ends when the host closes stdin or does not take what is written, and on SIGTERM, SIGINT and SIGHUP: adapters get a moment to
 * disconnect, then everything that was started is killed. All of this takes at most 0.3 seconds or so, since hosts kill soon after. */
#pragma once

int mcp_main(int argc, char **argv); /* argv[0] is the word "mcp"; returns the exit status */
