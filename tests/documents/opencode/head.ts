if (direction === "head") {
  // 从头部开始截断
  for (i = 0; i < lines.length && i < maxLines; i++) {
    // 计算当前行的大小（包含换行符）
    const size = Buffer.byteLength(lines[i], "utf-8") + (i > 0 ? 1 : 0)
    
    // 检查字节限制
    if (bytes + size > maxBytes) {
      hitBytes = true
      break
    }
    
    out.push(lines[i])
    bytes += size
  }
}
