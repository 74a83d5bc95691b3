// __tests__/integration.test.ts

describe('Truncation Integration', () => {
  it('should truncate tool output via middleware', async () => {
    const registry = new ToolRegistry(config);
    const service = new TruncationService({ global: { maxLines: 10 } });
    registry.setTruncationMiddleware(createTruncationMiddleware({ service }));

    const results = await registry.execute([toolCall]);
    
    expect(results[0].result.output).toContain('truncated');
    expect(results[0].result.metadata?.truncated).toBe(true);
  });
});
