import { deleteBot as operation } from '@flotilla/contract/operations/bots.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteBot } from '@flotilla/domain/bots/delete-bot.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const deleteBotEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await deleteBot(context, by, input.id);
  return OK;
});
