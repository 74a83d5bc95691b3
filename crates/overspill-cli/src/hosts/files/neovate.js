// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Shortens long results of all tools. `truncation: false` in the settings of neovate switches it off.
import { execFile } from "node:child_process"

// Asks the program without blocking neovate. Without an answer the result is unchanged.
function ask(question) {
  return new Promise((resolve) => {
    try {
      const options = { maxBuffer: 64 << 20, timeout: 20_000 }
      const program = execFile("@PROGRAM@", ["hook", "neovate"], options, (_, stdout) => {
        try {
          resolve(JSON.parse(stdout))
        } catch {
          resolve({})
        }
      })
      // A program that ends early closes its input.
      program.stdin.on("error", () => {})
      program.stdin.end(JSON.stringify(question))
    } catch {
      resolve({})
    }
  })
}

const isObject = (value) => typeof value === "object" && value !== null

export default {
  name: "overspill",
  // This plugin comes after all others, so that it sees the text that the model would get.
  enforce: "post",
  async toolResult(result, opts) {
    if (this?.config?.truncation === false) return result
    if (typeof result?.llmContent !== "string" && !Array.isArray(result?.llmContent)) return result
    // The other fields are not sent, and are unchanged.
    const { llmContent, isError, truncated, outputPath, ...others } = result
    const { returnDisplay } = others
    const display = isObject(returnDisplay) ? {} : returnDisplay
    // The program does not change an error, or a result that a tool has shortened itself.
    const sent = { llmContent, isError, truncated, outputPath, returnDisplay: display }
    const answer = await ask({ tool: opts?.toolUse?.name ?? opts?.name, session: opts?.sessionId, result: sent })
    if (typeof answer?.log === "string") console.warn(`overspill: ${answer.log}`)
    if (!isObject(answer?.result)) return result
    return { ...others, ...answer.result, ...(isObject(returnDisplay) && { returnDisplay }) }
  },
}
