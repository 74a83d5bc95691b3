import type { TruncationConfig } from './types';

/**
 * 默认截断配置
 */
export const DEFAULT_TRUNCATION_CONFIG: TruncationConfig = {
  maxLines: 2000,
  maxBytes: 50 * 1024,  // 50KB
  direction: 'head',
  enabled: true,
  retentionDays: 7,
};

/**
 * 工具特定默认配置
 */
export const TOOL_TRUNCATION_CONFIGS: Record<string, Partial<TruncationConfig>> = {
  // bash 输出通常看尾部（最新日志/错误）
  bash: {
    direction: 'tail',
    maxLines: 500,
  },
  
  // grep 结果可能很长
  grep: {
    maxLines: 3000,
  },
  
  // read 文件本身支持分页，不需要额外截断
  read: {
    enabled: false,
  },
};
