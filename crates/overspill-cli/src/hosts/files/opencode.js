// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Bounds what any tool returns; commands are bounded by the shell in opencode.json already.
import { spawnSync } from "node:child_process"

// Asks the program; on any doubt there is no answer, and the result stays as it is.
function bounded(result) {
  const done = spawnSync("@PROGRAM@", ["hook", "opencode"], {
    input: JSON.stringify(result),
    maxBuffer: 64 << 20,
    timeout: 20_000,
  })
  try {
    return JSON.parse(done.stdout.toString())
  } catch {
    return {}
  }
}

export const Overspill = async () => ({
  "tool.execute.after": async ({ tool }, output) => {
    if (typeof output?.output === "string") {
      const { text } = bounded({ tool, text: output.output })
      if (typeof text === "string") output.output = text
    } else if (Array.isArray(output?.content)) {
      const { content } = bounded({ tool, content: output.content })
      if (Array.isArray(content)) output.content = content
    }
  },
})
