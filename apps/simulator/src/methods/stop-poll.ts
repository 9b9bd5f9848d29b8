import { badRequest } from '../bot-api-error.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { integer } from '../http/params.ts';
import { readMarkup } from '../messages/read-markup.ts';
import type { Call } from './call.ts';

export function stopPoll(call: Call): unknown {
  const chat = findOwnChat(call);
  const message = chat.messages.get(integer(call.params, 'message_id', 0));
  if (message === undefined) throw badRequest('message with poll to stop not found');
  const poll = message.poll as { is_closed: boolean } | undefined;
  if (poll === undefined) throw badRequest('message with poll to stop not found');
  if (message.from?.id !== call.bot.user.id) throw badRequest("poll can't be stopped");
  if (poll.is_closed) throw badRequest('poll has already been closed');
  poll.is_closed = true;
  const markup = readMarkup(call.params);
  delete message.reply_markup;
  if (markup !== undefined) message.reply_markup = markup;
  call.sim.storage.saveMessage(chat, message);
  return poll;
}
