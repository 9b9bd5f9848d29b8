import { toggleBotDisabled } from '@flotilla/contract/operations/bots.ts';
import { toggleBot } from '@flotilla/domain/bots/toggle-bot.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentBotNow } from './present-bot.ts';

export const toggleBotDisabledEndpoint = defineEndpoint(toggleBotDisabled, async (context, { input, caller, by }) =>
  presentBotNow(context, caller, await toggleBot(context, by, input.id)),
);
