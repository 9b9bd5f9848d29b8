import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** The first message of somebody who opened a link. */
export type BindingStart = {
  token: string;
  chat_id: number;
  isGroup: boolean;
  /** null: an administrator who writes in the name of the group. */
  user: { id: number; name: string } | null;
};

export const LINK_TOKEN_PREFIX = 'flb_';
const START = /^\/start(?:@(\w{1,64}))? (flb_[\w-]{32})$/;
const GROUPS = ['group', 'supergroup'];

/** Null of other updates. A forwarded message, and one that a bot wrote, opened no link. */
export function readBindingStart(update: Fields, username: string): BindingStart | null {
  const message = readObject(update, 'message');
  const [, of = username, token] = START.exec((message && readText(message, 'text')) ?? '') ?? [];
  if (message === null || token === undefined || of.toLowerCase() !== username.toLowerCase()) return null;
  if (message.forward_origin !== undefined || message.via_bot !== undefined) return null;
  const [chat, from] = [readObject(message, 'chat') ?? {}, readObject(message, 'from') ?? {}];
  const [chat_id, userId] = [readInteger(chat, 'id'), readInteger(from, 'id')];
  const isGroup = GROUPS.includes(String(chat.type));
  if (chat_id === null || userId === null || !(isGroup || chat.type === 'private')) return null;
  const author = readObject(message, 'sender_chat');
  // A channel that writes in a group is no administrator of it.
  if (author !== null && author.id !== chat_id) return null;
  return { token, chat_id, isGroup, user: author === null ? { id: userId, name: nameOf(from) } : null };
}

function nameOf(user: Fields): string {
  return [readText(user, 'first_name'), readText(user, 'last_name')].filter((part) => part).join(' ');
}
