// 生成唯一文件 ID
const id = Identifier.ascending("tool")
const filepath = path.join(DIR, id)

// 保存完整输出到文件
await Bun.write(Bun.file(filepath), text)
