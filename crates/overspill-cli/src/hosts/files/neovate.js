// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Bounds what any tool returns.
import { spawnSync } from "node:child_process"

// Asks the program; on any doubt there is no answer, and the result stays as it is.
function bounded(result) {
  const done = spawnSync("@PROGRAM@", ["hook", "neovate"], {
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

export default {
  name: "overspill",
  async toolResult(result, { name }) {
    const given = result?.llmContent
    if (typeof given === "string") {
      const { text } = bounded({ tool: name, text: given })
      return typeof text === "string" ? { ...result, llmContent: text } : result
    }
    if (Array.isArray(given)) {
      const { content } = bounded({ tool: name, content: given })
      return Array.isArray(content) ? { ...result, llmContent: content } : result
    }
    return result
  },
}
