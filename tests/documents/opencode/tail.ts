else {
  // 从尾部开始截断
  for (i = lines.length - 1; i >= 0 && out.length < maxLines; i--) {
    const size = Buffer.byteLength(lines[i], "utf-8") + (out.length > 0 ? 1 : 0)
    
    if (bytes + size > maxBytes) {
      hitBytes = true
      break
    }
    
    out.unshift(lines[i])  // 从前面插入，保持顺序
    bytes += size
  }
}
