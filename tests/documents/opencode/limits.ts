// 自定义限制
const result = await Truncate.output(text, {
  maxLines: 500,
  maxBytes: 10 * 1024,  // 10KB
})

// 保留尾部
const result = await Truncate.output(errorStack, {
  direction: "tail",
  maxLines: 100,
})
