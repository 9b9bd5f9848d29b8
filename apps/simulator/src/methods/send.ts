import type { Chat, Message } from '../chats/chat.ts';
import { findWritableChat } from '../chats/find-chat.ts';
import { enforceFloodLimits } from '../faults/enforce-flood-limits.ts';
import { boolean, text } from '../http/params.ts';
import { type Content, postMessage } from '../messages/post-message.ts';
import { readMarkup } from '../messages/read-markup.ts';
import { readReply } from '../messages/read-reply.ts';
import type { Call } from './call.ts';

/** Sends what `content` reads from the call, after it has checked the chat, the permission and the reply. */
export async function send(
  call: Call,
  permission: string,
  content: (chat: Chat) => Content | Promise<Content>,
): Promise<Message> {
  const chat = findWritableChat(call, permission);
  enforceFloodLimits(call.sim, call.bot.user.id, text(call.params, 'chat_id'));
  const reply = readReply(call, chat);
  const markup = readMarkup(call.params);
  const said = await content(chat);
  return postMessage(
    call.sim,
    chat,
    { user: call.bot.user },
    {
      ...reply,
      ...(boolean(call.params, 'protect_content') && { has_protected_content: true }),
      ...said,
      ...(markup && { reply_markup: markup }),
    },
  );
}
