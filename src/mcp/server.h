/* The MCP server over stdio: `dapple mcp [--tools core] [--structured auto|on|off]`. Revisions 2024-11-05 to 2026-07-28. */
#pragma once

int mcp_main(int argc, char **argv); /* returns the exit status */
