// 只截断 JSON 的策略
class JsonAwareStrategy extends BaseTruncationStrategy {
  readonly name = 'json-aware';

  needsTruncation(content: string, config: TruncationConfig): boolean {
    // 如果是 JSON，检查数组长度
    try {
      const json = JSON.parse(content);
      if (Array.isArray(json)) {
        return json.length > config.maxLines;
      }
    } catch {}
    
    // 否则使用默认检查
    return super.needsTruncation(content, config);
  }

  truncate(content: string, config: TruncationConfig) {
    try {
      const json = JSON.parse(content);
      if (Array.isArray(json)) {
        const kept = json.slice(0, config.maxLines);
        return {
          content: JSON.stringify(kept, null, 2),
          removedLines: json.length - kept.length,
        };
      }
    } catch {}
    
    // 回退到默认行为
    return new DefaultTruncationStrategy().truncate(content, config);
  }
}
