import { checkBackendHealth as operation } from '@flotilla/contract/operations/bots.ts';
import { checkBackendHealth } from '@flotilla/domain/bots/check-backend-health.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from './require-bot.ts';

export const checkBackendHealthEndpoint = defineEndpoint(operation, async (context, { input }) => {
  const health = await checkBackendHealth(context, requireBot(context, input.id));
  return { healthy: health.healthy, status_code: health.statusCode, latency_ms: health.latencyMs };
});
