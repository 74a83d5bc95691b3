import { BaseTruncationStrategy } from './base';
import type { TruncationConfig } from '../types';

/**
 * 默认截断策略
 * 
 * 同时检查行数和字节数限制，任一超限则截断
 */
export class DefaultTruncationStrategy extends BaseTruncationStrategy {
  readonly name = 'default';

  needsTruncation(content: string, config: TruncationConfig): boolean {
    const lineCount = this.countLines(content);
    const byteCount = this.countBytes(content);

    return lineCount > config.maxLines || byteCount > config.maxBytes;
  }

  truncate(
    content: string, 
    config: TruncationConfig
  ): { content: string; removedLines?: number; removedBytes?: number } {
    const lines = content.split('\n');
    const totalLines = lines.length;
    const totalBytes = this.countBytes(content);

    // 判断主要限制因素
    const hitBytesLimit = totalBytes > config.maxBytes;

    // 收集保留的行
    const kept: string[] = [];
    let bytes = 0;
    let hitBytes = false;

    if (config.direction === 'head') {
      // 从头部开始
      for (let i = 0; i < lines.length && kept.length < config.maxLines; i++) {
        const lineBytes = this.countBytes(lines[i]) + (kept.length > 0 ? 1 : 0);
        if (bytes + lineBytes > config.maxBytes) {
          hitBytes = true;
          break;
        }
        kept.push(lines[i]);
        bytes += lineBytes;
      }
    } else {
      // 从尾部开始
      for (let i = lines.length - 1; i >= 0 && kept.length < config.maxLines; i--) {
        const lineBytes = this.countBytes(lines[i]) + (kept.length > 0 ? 1 : 0);
        if (bytes + lineBytes > config.maxBytes) {
          hitBytes = true;
          break;
        }
        kept.unshift(lines[i]);
        bytes += lineBytes;
      }
    }

    const finalHitBytes = hitBytes || hitBytesLimit;
    const removedLines = totalLines - kept.length;
    const removedBytes = totalBytes - bytes;

    return {
      content: kept.join('\n'),
      removedLines: finalHitBytes ? undefined : removedLines,
      removedBytes: finalHitBytes ? removedBytes : undefined,
    };
  }
}
