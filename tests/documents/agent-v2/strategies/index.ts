export { BaseTruncationStrategy } from './base';
export { DefaultTruncationStrategy } from './default';
// 未来可扩展：
// export { LineBasedStrategy } from './line-based';
// export { ByteBasedStrategy } from './byte-based';
