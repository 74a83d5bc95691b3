// overspill @VERSION@: made by `overspill init`, removed by `overspill uninstall`.
// Shortens long results of tools.
import { spawnSync } from "node:child_process"

// Asks the program. Without an answer the result is unchanged.
function ask(question) {
  const done = spawnSync("@PROGRAM@", ["hook", "cline"], {
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

// Returns the shortened output of a tool, or undefined if the output is unchanged.
function shortened(tool, output) {
  if (typeof output === "string") return ask({ tool, text: output }).text
  if (Array.isArray(output)) {
    // Commands and files: a list of { query, result, error, success }.
    const isAnswer = item => typeof item?.query === "string"
    return output.some(isAnswer) ? answers(tool, output) : ask({ tool, content: output }).content
  }
  if (Array.isArray(output?.content)) return mcp(tool, output)
  return undefined
}

function answers(tool, items) {
  let isChanged = false
  const short = items.map(item => {
    const changed = {}
    for (const name of ["result", "error"]) {
      if (typeof item?.[name] !== "string") continue
      const { text } = ask({ tool, command: item.query, text: item[name] })
      if (typeof text === "string") changed[name] = text
    }
    isChanged ||= Object.keys(changed).length > 0
    return { ...item, ...changed }
  })
  return isChanged ? short : undefined
}

function mcp(tool, output) {
  const { content } = ask({ tool, content: output.content })
  if (Array.isArray(content)) {
    // Cline shows an object as JSON, in which each line end has two characters.
    const isText = content.every(part => part?.type === "text")
    return isText ? content.map(part => part.text).join("\n") : { content }
  }
  return output.structuredContent ? ask({ tool, text: JSON.stringify(output) }).text : undefined
}

const plugin = {
  name: "overspill",
  manifest: { capabilities: ["hooks"] },
  hooks: {
    async afterTool({ toolCall, result }) {
      const output = shortened(toolCall?.toolName, result?.output)
      return output === undefined ? undefined : { result: { ...result, output } }
    },
  },
}

export { plugin }
export default plugin
