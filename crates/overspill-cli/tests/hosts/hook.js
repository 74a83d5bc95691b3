// A plugin of the user: it adds each call to the log, and refuses one command.
import { appendFileSync } from "node:fs"

const note = (event, input, output) => appendFileSync(LOG, JSON.stringify({ event, input, output }) + "\n")

export const Mine = async () => ({
  "tool.execute.before": async (input, output) => {
    note("before", input, output)
    if (output.args.command?.includes("refused by my hook")) throw new Error("my hook does not want this command")
  },
  "tool.execute.after": async (input, output) => note("after", input, output),
})
