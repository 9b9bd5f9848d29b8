import { showBot } from '@flotilla/contract/operations/bots.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentBotNow } from './present-bot.ts';
import { requireBot } from './require-bot.ts';

export const showBotEndpoint = defineEndpoint(showBot, async (context, { input, caller }) =>
  presentBotNow(context, caller, requireBot(context, input.id)),
);
