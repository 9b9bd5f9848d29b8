import { updateBot as operation } from '@flotilla/contract/operations/bots.ts';
import { updateBot } from '@flotilla/domain/bots/update-bot.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changesOfInput } from './changes-of-input.ts';
import { presentBotNow } from './present-bot.ts';

export const updateBotEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
  const bot = await updateBot(context, by, input.id, changesOfInput(input));
  return presentBotNow(context, caller, bot);
});
