import type { TruncationStrategy, TruncationConfig } from '../types';

/**
 * 截断策略基类
 * 
 * 提供通用的辅助方法
 */
export abstract class BaseTruncationStrategy implements TruncationStrategy {
  abstract readonly name: string;
  
  abstract needsTruncation(content: string, config: TruncationConfig): boolean;
  abstract truncate(
    content: string, 
    config: TruncationConfig
  ): { content: string; removedLines?: number; removedBytes?: number };

  /**
   * 计算内容的行数
   */
  protected countLines(content: string): number {
    return content.split('\n').length;
  }

  /**
   * 计算内容的字节数
   */
  protected countBytes(content: string): number {
    return Buffer.byteLength(content, 'utf-8');
  }

  /**
   * 按行截断（头部）
   */
  protected truncateHead(content: string, maxLines: number): string[] {
    const lines = content.split('\n');
    return lines.slice(0, maxLines);
  }

  /**
   * 按行截断（尾部）
   */
  protected truncateTail(content: string, maxLines: number): string[] {
    const lines = content.split('\n');
    return lines.slice(-maxLines);
  }
}
