// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Shortens long results of all tools. The shell in opencode.json already shortens the output of commands.
import { spawnSync } from "node:child_process"

// Asks the program. Without an answer the result is unchanged.
function shortened(result) {
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
      const { text } = shortened({ tool, text: output.output })
      if (typeof text === "string") output.output = text
    } else if (Array.isArray(output?.content)) {
      const { content } = shortened({ tool, content: output.content })
      if (Array.isArray(content)) output.content = content
    }
  },
})
