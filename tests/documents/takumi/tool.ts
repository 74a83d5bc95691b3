// src/tool.ts
export type ToolResult = {
  llmContent: string | (TextPart | ImagePart)[];
  returnDisplay?: ReturnDisplay;
  isError?: boolean;
  metadata?: { ... };
  
  // 新增字段
  truncated?: boolean;     // 是否已截断
  outputPath?: string;     // 完整输出文件路径
};
