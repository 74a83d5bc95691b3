// src/plugins/truncation.ts
export const truncationPlugin: Plugin = {
  name: 'truncation',
  enforce: 'post',
  
  async toolResult(toolResult, opts) {
    // 检查是否禁用
    if (this.config.truncation === false) {
      return toolResult;
    }
    
    // 工具已自行处理
    if (toolResult.truncated !== undefined) {
      return toolResult;
    }
    
    // 错误结果不截断
    if (toolResult.isError) {
      return toolResult;
    }
    
    // 检查大小并执行截断
    // ...
  },
};
