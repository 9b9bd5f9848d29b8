import { ownPostKey } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { SHARED_CHATS_BELOW } from '@flotilla/telegram/group-move.ts';
import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** A call of the Bot API that succeeded: its method in lower case, its parameters, and the raw JSON of its result. */
type AnsweredCall = { method: string; params: Record<string, string>; result: string };

/** The platform keeps an update for 24 h, so another bot may deliver a post to us that late. */
const REMEMBERED_S = 90_000;
/** These methods answer only ids. In channels and supergroups their messages may be posts. */
const ID_METHODS = ['copymessage', 'copymessages', 'forwardmessages'];

/**
 * Remembers the sent messages whose author other bots cannot see: posts in a channel, or in the name of a chat. Every
 * other bot there receives them as if a stranger had written them.
 */
export async function rememberOwnPosts(deps: { redis: RedisHandles }, calls: AnsweredCall[]): Promise<void> {
  const keys = calls.flatMap(ownPostKeys);
  if (keys.length === 0) return;
  await deps.redis.runMany(keys.map((key) => ['set', key, '1', 'EX', REMEMBERED_S]));
}

/**
 * True if one of our bots posted this message, although the message does not name the bot. The automatic copy of a
 * channel's post in its discussion group counts as the post.
 */
export async function isOwnPost(deps: { redis: RedisHandles }, message: Fields): Promise<boolean> {
  const keys = [message, ...automaticOrigin(message)].flatMap((post) => {
    const chat = readObject(post, 'chat');
    const id = readInteger(post, 'message_id');
    return chat === null || id === null ? [] : chatNames(chat).map((name) => ownPostKey(name, id));
  });
  const found = await deps.redis.runMany(keys.map((key) => ['exists', key]));
  return found.includes(1);
}

/** The channel's post whose automatic copy in the discussion group this message is; empty for other messages. */
function automaticOrigin(message: Fields): Fields[] {
  const origin = message.is_automatic_forward === true ? readObject(message, 'forward_origin') : null;
  return origin === null ? [] : [origin];
}

/** True if `rememberOwnPosts` may have something to remember; quick. */
function maySendOwnPosts({ method, params, result }: AnsweredCall): boolean {
  if (ID_METHODS.includes(method)) {
    const chat = chatIn(params);
    return chat.startsWith('@') || Number(chat) < SHARED_CHATS_BELOW;
  }
  // Ids of channels and groups are negative. Most results have no minus, and one character is found fastest.
  return result.includes('-') && (result.includes('"channel"') || result.includes('"sender_chat"'));
}

function ownPostKeys(call: AnsweredCall): string[] {
  if (!maySendOwnPosts(call)) return [];
  const { method, params, result } = call;
  if (ID_METHODS.includes(method)) return listed(result).flatMap((sent) => keysOf(chatIn(params).toLowerCase(), sent));
  return listed(result).flatMap((sent) => {
    const chat = readObject(sent, 'chat') ?? {};
    const isHidden = chat.type === 'channel' || readObject(sent, 'sender_chat') !== null;
    return isHidden ? keysOf(String(chat.id), sent) : [];
  });
}

function chatIn(params: Record<string, string>): string {
  return (params.chat_id ?? '').trim();
}

function keysOf(chat: string, sent: Fields): string[] {
  const id = readInteger(sent, 'message_id');
  return id === null ? [] : [ownPostKey(chat, id)];
}

function listed(result: string): Fields[] {
  const value: unknown = JSON.parse(result);
  return (Array.isArray(value) ? value : [value]).filter((sent) => typeof sent === 'object' && sent !== null);
}

function chatNames(chat: Fields): string[] {
  const username = readText(chat, 'username');
  return [String(chat.id), ...(username === null ? [] : [`@${username.toLowerCase()}`])];
}
