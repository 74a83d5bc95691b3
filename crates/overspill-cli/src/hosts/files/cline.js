// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Bounds what any tool returns.
import { spawnSync } from "node:child_process"

// Asks the program; on any doubt there is no answer, and the result stays as it is.
function bounded(result) {
  const done = spawnSync("@PROGRAM@", ["hook", "cline"], {
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

const plugin = {
  name: "overspill",
  manifest: { capabilities: ["hooks"] },
  hooks: {
    async afterTool({ toolCall, result }) {
      const tool = toolCall?.toolName
      const output = result?.output
      if (typeof output === "string") {
        const { text } = bounded({ tool, text: output })
        return typeof text === "string" ? { result: { ...result, output: text } } : undefined
      }
      if (Array.isArray(output)) {
        const { content } = bounded({ tool, content: output })
        return Array.isArray(content) ? { result: { ...result, output: content } } : undefined
      }
      return undefined
    },
  },
}

export { plugin }
export default plugin
