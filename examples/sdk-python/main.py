"""Claude Agent SDK: cli_path names the program it starts.

A link called claude that leads to cbc-otel runs the next claude on PATH:
    ln -s "$(command -v cbc-otel)" shims/claude
"""

import asyncio
import os

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


async def main() -> None:
    options = ClaudeAgentOptions(
        cli_path=os.environ.get("CLAUDE_SHIM", "./shims/claude"),
        permission_mode="bypassPermissions",
    )
    async for message in query(prompt="/release-audit", options=options):
        if isinstance(message, ResultMessage):
            print(message.subtype)


asyncio.run(main())
