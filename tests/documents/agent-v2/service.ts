import type {
  TruncationConfig,
  TruncationOptions,
  TruncationContext,
  TruncationResult,
  TruncationStrategy,
  TruncationEventCallback,
} from './types';
import { DEFAULT_TRUNCATION_CONFIG } from './constants';
import { TruncationStorage } from './storage';
import { DefaultTruncationStrategy } from './strategies';

/**
 * 截断服务配置
 */
export interface TruncationServiceConfig {
  /** 全局配置（部分覆盖） */
  global?: Partial<TruncationConfig>;
  /** 工具级别配置覆盖 */
  tools?: Record<string, Partial<TruncationConfig>>;
  /** 事件回调 */
  onEvent?: TruncationEventCallback;
  /** 自定义存储实例 */
  storage?: ITruncationStorage;
  /** 自定义策略实例 */
  strategy?: TruncationStrategy;
}

/**
 * 截断核心服务
 * 
 * 职责：
 * - 管理配置（全局 + 工具级别）
 * - 协调截断策略
 * - 管理存储
 * - 发送事件
 */
export class TruncationService {
  private config: TruncationConfig;
  private toolConfigs: Map<string, Partial<TruncationConfig>>;
  private storage: ITruncationStorage;
  private strategy: TruncationStrategy;
  private onEvent?: TruncationEventCallback;

  constructor(config: TruncationServiceConfig = {}) {
    // 合并默认配置
    this.config = { ...DEFAULT_TRUNCATION_CONFIG, ...config.global };
    
    // 工具配置
    this.toolConfigs = new Map(
      Object.entries(config.tools || {})
    );
    
    // 存储实例
    this.storage = config.storage || new TruncationStorage(this.config.storageDir);
    
    // 策略实例
    this.strategy = config.strategy || new DefaultTruncationStrategy();
    
    // 事件回调
    this.onEvent = config.onEvent;
  }

  /**
   * 截断输出（核心方法）
   * 
   * @param content 原始内容
   * @param context 截断上下文
   * @returns 截断结果
   */
  async output(
    content: string, 
    context: TruncationContext
  ): Promise<TruncationResult> {
    const effectiveConfig = this.getEffectiveConfig(context);

    // 检查是否禁用
    if (!effectiveConfig.enabled) {
      this.emitEvent({
        type: 'skipped',
        toolName: context.toolName,
        originalSize: Buffer.byteLength(content, 'utf-8'),
        truncatedSize: Buffer.byteLength(content, 'utf-8'),
        timestamp: Date.now(),
      });
      return { content, truncated: false };
    }

    // 检查是否需要截断
    if (!this.strategy.needsTruncation(content, effectiveConfig)) {
      this.emitEvent({
        type: 'skipped',
        toolName: context.toolName,
        originalSize: Buffer.byteLength(content, 'utf-8'),
        truncatedSize: Buffer.byteLength(content, 'utf-8'),
        timestamp: Date.now(),
      });
      return { content, truncated: false };
    }

    try {
      // 执行截断
      const truncated = this.strategy.truncate(content, effectiveConfig);
      const originalSize = Buffer.byteLength(content, 'utf-8');
      const truncatedSize = Buffer.byteLength(truncated.content, 'utf-8');

      // 保存完整内容
      const outputPath = await this.storage.save(content, context);

      // 生成提示信息
      const hint = this.generateHint(outputPath, truncated.removedLines, truncated.removedBytes);
      const finalContent = this.formatOutput(
        truncated.content, 
        hint, 
        effectiveConfig.direction,
        truncated.removedLines,
        truncated.removedBytes
      );

      this.emitEvent({
        type: 'truncated',
        toolName: context.toolName,
        originalSize,
        truncatedSize: Buffer.byteLength(finalContent, 'utf-8'),
        outputPath,
        timestamp: Date.now(),
      });

      return {
        content: finalContent,
        truncated: true,
        outputPath,
        removedLines: truncated.removedLines,
        removedBytes: truncated.removedBytes,
      };
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      
      this.emitEvent({
        type: 'error',
        toolName: context.toolName,
        originalSize: Buffer.byteLength(content, 'utf-8'),
        truncatedSize: Buffer.byteLength(content, 'utf-8'),
        error: errorMessage,
        timestamp: Date.now(),
      });

      // 错误时返回原内容
      return { content, truncated: false };
    }
  }

  /**
   * 清理过期文件
   */
  async cleanup(): Promise<number> {
    return this.storage.cleanup(this.config.retentionDays);
  }

  /**
   * 更新全局配置
   */
  updateConfig(config: Partial<TruncationConfig>): void {
    this.config = { ...this.config, ...config };
  }

  /**
   * 设置工具特定配置
   */
  setToolConfig(toolName: string, config: Partial<TruncationConfig>): void {
    this.toolConfigs.set(toolName, config);
  }

  /**
   * 获取有效配置（全局 + 工具覆盖 + 单次选项）
   */
  private getEffectiveConfig(context: TruncationContext): TruncationConfig {
    const toolConfig = this.toolConfigs.get(context.toolName) || {};
    const options = context.options || {};

    return {
      ...this.config,
      ...toolConfig,
      ...options,
      // 确保布尔值正确处理
      enabled: options.skip !== undefined ? !options.skip : (toolConfig.enabled ?? this.config.enabled),
    };
  }

  /**
   * 生成提示信息
   */
  private generateHint(
    outputPath: string, 
    removedLines?: number, 
    removedBytes?: number
  ): string {
    const unit = removedBytes ? 'bytes' : 'lines';
    const removed = removedBytes || removedLines || 0;
    
    // TODO: 后续可以根据权限系统判断是否有 Task 工具权限
    // 目前使用默认提示
    return `The tool call succeeded but the output was truncated. ` +
           `Full output saved to: ${outputPath}\n` +
           `Use Grep to search the full content or Read with offset/limit to view specific sections.`;
  }

  /**
   * 格式化输出
   */
  private formatOutput(
    content: string,
    hint: string,
    direction: TruncationDirection,
    removedLines?: number,
    removedBytes?: number
  ): string {
    const unit = removedBytes ? 'bytes' : 'lines';
    const removed = removedBytes || removedLines || 0;

    if (direction === 'head') {
      return `${content}\n\n...${removed} ${unit} truncated...\n\n${hint}`;
    } else {
      return `...${removed} ${unit} truncated...\n\n${hint}\n\n${content}`;
    }
  }

  /**
   * 发送事件
   */
  private emitEvent(event: TruncationEvent): void {
    this.onEvent?.(event);
  }
}
