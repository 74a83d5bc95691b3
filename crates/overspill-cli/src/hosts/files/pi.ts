// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Shortens long results of all tools. The shellPath in settings.json already shortens the output of commands.
import { spawnSync } from "node:child_process";

// Asks the program. Without an answer the result is unchanged.
function shortened(result: object): { content?: unknown } {
  const done = spawnSync("@PROGRAM@", ["hook", "pi"], {
    input: JSON.stringify(result),
    maxBuffer: 64 << 20,
    timeout: 20_000,
  });
  try {
    return JSON.parse(done.stdout.toString());
  } catch {
    return {};
  }
}

export default function (pi: any) {
  pi.on("tool_result", (event: any) => {
    const { content } = shortened({ tool: event.toolName, content: event.content });
    return Array.isArray(content) ? { content } : undefined;
  });
}
