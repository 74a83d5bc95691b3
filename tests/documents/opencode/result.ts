export type Result =
  | { content: string; truncated: false }                    // 未截断
  | { content: string; truncated: true; outputPath: string } // 已截断
