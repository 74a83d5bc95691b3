const hint = hasTaskTool(agent)
  ? `The tool call succeeded but the output was truncated. Full output saved to: ${filepath}
Use the Task tool to have a subagent process this file with Grep and Read (with offset/limit). 
Do NOT read the full file yourself - delegate to save context.`
  : `The tool call succeeded but the output was truncated. Full output saved to: ${filepath}
Use Grep to search the full content or Read with offset/limit to view specific sections.`
