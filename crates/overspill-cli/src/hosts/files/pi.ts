// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Bounds what any tool returns; commands are bounded by shellPath in settings.json already.
import { spawnSync } from "node:child_process";

// Asks the program; on any doubt there is no answer, and the result stays as it is.
function bounded(result: object): { content?: unknown } {
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
    const { content } = bounded({ tool: event.toolName, content: event.content });
    return Array.isArray(content) ? { content } : undefined;
  });
}
