import { addBot as operation } from '@flotilla/contract/operations/bots.ts';
import { addBot } from '@flotilla/domain/bots/add-bot.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changesOfInput } from './changes-of-input.ts';
import { presentBotNow } from './present-bot.ts';

export const addBotEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
  const bot = await addBot(context, by, { ...changesOfInput(input), token: input.token, source: 'web' });
  return presentBotNow(context, caller, bot);
});
