import { addTag as operation } from '@flotilla/contract/operations/tags.ts';
import { addTag } from '@flotilla/domain/tags/add-tag.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireManagedBot } from '../bots/require-bot.ts';
import { presentTag } from './present-tag.ts';

export const addTagEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  const { chat_id: chatId, user_id: userId, username, tag, color } = input;
  const botId = requireManagedBot(context, input.bot_id).id;
  return presentTag(await addTag(context, by, { botId, chatId, userId, username, tag, color }));
});
