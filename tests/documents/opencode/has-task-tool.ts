function hasTaskTool(agent?: Agent.Info): boolean {
  // 没有权限配置则认为没有权限
  if (!agent?.permission) return false

  // 评估 task 工具的权限
  const rule = PermissionNext.evaluate("task", "*", agent.permission)
  
  // 未拒绝则认为有权限
  return rule.action !== "deny"
}
