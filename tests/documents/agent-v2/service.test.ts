// __tests__/service.test.ts

describe('TruncationService', () => {
  describe('output', () => {
    it('should not truncate when disabled', async () => {
      const service = new TruncationService({ global: { enabled: false } });
      const result = await service.output(longContent, { toolName: 'test' });
      expect(result.truncated).toBe(false);
    });

    it('should truncate when exceeds maxLines', async () => {
      const service = new TruncationService({ global: { maxLines: 10 } });
      const result = await service.output(contentWith100Lines, { toolName: 'test' });
      expect(result.truncated).toBe(true);
    });

    it('should respect tool-specific config', async () => {
      const service = new TruncationService({
        global: { maxLines: 100 },
        tools: { bash: { maxLines: 10 } },
      });
      const result = await service.output(contentWith50Lines, { toolName: 'bash' });
      expect(result.truncated).toBe(true);
    });
  });
});
