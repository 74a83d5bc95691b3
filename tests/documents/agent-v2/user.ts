// 用户可以在创建 Agent 时传入配置
const agent = new Agent({
  provider,
  truncation: {
    maxLines: 1500,
    maxBytes: 30 * 1024,
    tools: {
      bash: { direction: 'tail' },
      grep: { maxLines: 2000 },
    },
  },
});
