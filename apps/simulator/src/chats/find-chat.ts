import { BotApiError, badRequest, forbidden } from '../bot-api-error.ts';
import { text } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import type { Simulator } from '../simulator.ts';
import { businessKey, findConnection } from './business-chat.ts';
import { type Chat, isAdmin, isIn, privateKey } from './chat.ts';

/** The chat that `field` names (an id or @username), if the bot can know it. */
export function findChat(call: Call, field = 'chat_id'): Chat {
  const wanted = text(call.params, field).trim();
  if (wanted === '') throw badRequest('chat_id is empty');
  const connection = text(call.params, 'business_connection_id');
  const chat =
    connection === ''
      ? lookUp(call.sim, call.bot.user.id, wanted)
      : call.sim.chats.get(businessKey(findConnection(call.bot, connection).id, wanted));
  if (chat === undefined) throw badRequest('chat not found');
  if (chat.migratedTo !== 0) {
    throw new BotApiError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  return chat;
}

export function lookUp(sim: Simulator, botId: number, wanted: string): Chat | undefined {
  if (wanted.startsWith('@')) {
    const name = wanted.slice(1).toLowerCase();
    for (const chat of sim.chats.values()) if (chat.username.toLowerCase() === name && name !== '') return chat;
    return undefined;
  }
  const id = Number(wanted);
  const chat = id > 0 ? sim.chats.get(privateKey(botId, id)) : sim.chats.get(wanted);
  if (chat === undefined || chat.person !== null || chat.username !== '') return chat;
  return chat.members.has(botId) ? chat : undefined;
}

/** Like findChat, but throws 403 when the bot is not a member of the chat. */
export function findOwnChat(call: Call, field = 'chat_id'): Chat {
  const chat = findChat(call, field);
  if (chat.person !== null) return chat;
  const member = chat.members.get(call.bot.user.id);
  if (member?.status === 'kicked') throw forbidden(`bot was kicked from the ${chat.type} chat`);
  if (!isIn(member)) throw forbidden(`bot is not a member of the ${chat.type} chat`);
  return chat;
}

const CONTENT_NAMES: Record<string, string> = {
  can_send_messages: 'text messages',
  can_send_photos: 'photos',
  can_send_videos: 'videos',
  can_send_audios: 'audios',
  can_send_documents: 'documents',
  can_send_voice_notes: 'voice notes',
  can_send_video_notes: 'video notes',
  can_send_polls: 'polls',
  can_send_other_messages: 'stickers',
};

/** A chat to which the bot may write; otherwise throws the platform's error. */
export function findWritableChat(call: Call, permission = 'can_send_messages'): Chat {
  const chat = findOwnChat(call);
  if (chat.person !== null) {
    if (chat.blocked) throw forbidden('bot was blocked by the user');
    if (!chat.started) throw forbidden("bot can't initiate conversation with a user");
    return chat;
  }
  const member = chat.members.get(call.bot.user.id)!;
  if (chat.type === 'channel') {
    if (!isAdmin(member)) throw badRequest('need administrator rights in the channel chat');
    if (member.status === 'administrator' && member.rights.can_post_messages !== true) {
      throw badRequest('not enough rights to send messages to the chat');
    }
    return chat;
  }
  const allowed = isAdmin(member) || (member.status === 'restricted' ? member : chat).permissions[permission] === true;
  if (!allowed) throw badRequest(`not enough rights to send ${CONTENT_NAMES[permission]} to the chat`);
  return chat;
}
