const RETENTION_MS = 7 * 24 * 60 * 60 * 1000  // 7天

export async function cleanup() {
  // 计算截止时间
  const cutoff = Identifier.timestamp(
    Identifier.create("tool", false, Date.now() - RETENTION_MS)
  )

  // 扫描截断文件
  const glob = new Bun.Glob("tool_*")
  const entries = await Array.fromAsync(
    glob.scan({ cwd: DIR, onlyFiles: true })
  ).catch(() => [])

  // 删除过期文件
  for (const entry of entries) {
    if (Identifier.timestamp(entry) >= cutoff) continue
    await fs.unlink(path.join(DIR, entry)).catch(() => {})
  }
}
