# 全局关闭
takumi config set truncation false

# 项目级配置 (.takumi/config.json)
{ "truncation": false }
