// src/config.ts
export type Config = {
  // ...
  truncation?: boolean;  // 默认 true
};
