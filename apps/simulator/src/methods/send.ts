import { badRequest } from '../bot-api-error.ts';
import { writtenForBusiness } from '../chats/business-chat.ts';
import { type Chat, type Message, showChat } from '../chats/chat.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { findWritableChat } from '../chats/find-chat.ts';
import { refuseClosedTopic, threadOf, topicFields } from '../chats/topic.ts';
import { boolean, integer, jsonObject, text } from '../http/params.ts';
import { type MessageFields, postMessage } from '../messages/post-message.ts';
import { keepKeyboard, readMarkup } from '../messages/read-markup.ts';
import { readReply } from '../messages/read-reply.ts';
import type { Call } from './call.ts';

/** Sends what `content` reads from the call, after it has checked the chat, the permission and the reply. */
export async function send(
  call: Call,
  permission: string,
  content: (chat: Chat) => MessageFields | Promise<MessageFields>,
): Promise<Message> {
  const ephemeral = jsonObject(call.params, 'ephemeral_message_parameters');
  const pressed = text(call.params, 'chat_id') === '' ? pressOf(call, ephemeral) : undefined;
  const chat = pressed === undefined ? findWritableChat(call, permission) : call.sim.chats.get(pressed.chatKey)!;
  const reply = readReply(call, chat);
  const markup = readMarkup(call.params);
  const threadId = threadOf(integer(call.params, 'message_thread_id', 0), reply);
  refuseClosedTopic(chat, threadId, call.bot.user.id);
  const said = await content(chat);
  if (ephemeral !== undefined) {
    const receiver = Number(ephemeral.receiver_user_id ?? pressed?.person);
    return ephemeralMessage(call, chat, receiver, { ...reply, ...said });
  }
  const message = postMessage(
    call.sim,
    chat,
    { user: call.bot.user },
    {
      ...writtenForBusiness(call.bot, chat),
      ...topicFields(chat, threadId),
      ...reply,
      ...(boolean(call.params, 'protect_content') && { has_protected_content: true }),
      ...said,
      ...(markup && { reply_markup: markup }),
    },
  );
  keepKeyboard(call, chat, message.message_id);
  endDrafts(call, chat);
  return message;
}

/** The press that an ephemeral message answers, which tells its chat and its receiver. */
function pressOf({ sim, bot }: Call, ephemeral: Record<string, unknown> | undefined) {
  const query = sim.queries.get(String(ephemeral?.callback_query_id ?? ''));
  return query?.botId === bot.user.id ? query.pressed : undefined;
}

/** A message takes the place of what the bot showed while it wrote. */
function endDrafts({ sim }: Call, chat: Chat): void {
  if (Object.keys(chat.drafts).length === 0) return;
  chat.drafts = {};
  sim.storage.saveChat(chat);
}

/** Only its receiver sees it, so the chat does not keep it. */
function ephemeralMessage({ sim, bot }: Call, chat: Chat, receiverId: number, said: MessageFields): Message {
  const receiver = knownUser(sim, receiverId);
  if (receiver === undefined) throw badRequest('user not found');
  sim.nextFileNumber += 1;
  sim.storage.saveCounters();
  return {
    message_id: 0,
    from: bot.user,
    receiver_user: receiver,
    ephemeral_message_id: sim.nextFileNumber,
    chat: showChat(chat),
    date: sim.clock.nowS(),
    ...said,
  };
}
