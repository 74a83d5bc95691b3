// 头部截断格式
const message =
  `${preview}\n\n` +                    // 保留的内容
  `...${removed} ${unit} truncated...\n\n` + // 截断说明
  `${hint}`                              // 智能提示

// 尾部截断格式
const message =
  `...${removed} ${unit} truncated...\n\n` + // 截断说明
  `${hint}\n\n` +                        // 智能提示
  `${preview}`                           // 保留的内容
