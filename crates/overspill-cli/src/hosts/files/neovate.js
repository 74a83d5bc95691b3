// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Shortens long results of all tools. `truncation: false` in the settings of neovate switches it off.
import { spawnSync } from "node:child_process"

// Asks the program. Without an answer the result stays as it is.
function ask(question) {
  const done = spawnSync("@PROGRAM@", ["hook", "neovate"], {
    input: JSON.stringify(question),
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
  // After all other plugins, so that this one sees what the model would get.
  enforce: "post",
  async toolResult(result, opts) {
    if (this?.config?.truncation === false) return result
    if (typeof result?.llmContent !== "string" && !Array.isArray(result?.llmContent)) return result
    // The program leaves a result alone that is an error, or that a tool has shortened itself.
    const answer = ask({ tool: opts?.toolUse?.name ?? opts?.name, session: opts?.sessionId, result })
    if (typeof answer.log === "string") console.warn(`overspill: ${answer.log}`)
    return typeof answer.result === "object" && answer.result !== null ? answer.result : result
  },
}
