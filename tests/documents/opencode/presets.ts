// 推荐：根据输出类型调整
const PRESETS = {
  code: { maxLines: 2000, maxBytes: 50 * 1024 },
  log: { maxLines: 500, maxBytes: 20 * 1024, direction: "tail" },
  error: { maxLines: 100, maxBytes: 10 * 1024, direction: "tail" },
}
