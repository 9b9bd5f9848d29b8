import { revealToken } from '@flotilla/contract/operations/bots.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from './require-bot.ts';

export const revealTokenEndpoint = defineEndpoint(revealToken, async (context, { input, by }) => {
  const bot = requireBot(context, input.id);
  await recordAction(context, by, { action: 'token_reveal', botId: bot.id });
  return { token: bot.token };
});
