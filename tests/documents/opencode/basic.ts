import { Truncate } from "./truncation"

// 处理工具输出
const output = "..." // 假设是很长的输出

const result = await Truncate.output(output)

if (result.truncated) {
  console.log("输出已截断")
  console.log(`完整文件: ${result.outputPath}`)
} else {
  console.log("输出完整")
}
