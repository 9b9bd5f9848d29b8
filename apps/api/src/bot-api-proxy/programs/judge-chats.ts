import { chatIdOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { scanMembers, unquoted } from '@flotilla/telegram/json-text.ts';
import { chatParametersOf } from '@flotilla/telegram/method-groups.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';

/** Every value of each parameter that was seen, in the platform's order: the query string before the body. */
export type SeenParameters = ReadonlyMap<string, readonly string[]>;

/**
 * `pinned`: parameters to put before all others; the platform takes the first of a name. `chatId`: the other chat that
 * was named.
 */
export type ChatJudgement =
  | { outcome: 'allowed'; pinned: string }
  | { outcome: 'refused'; reason: string; chatId: number | null };

const CHAT_ID = /^-?[1-9]\d{0,15}$/;
/** With one of these, the platform looks for the message somewhere else than in the chat. '' means absent to it. */
const ELSEWHERE = ['business_connection_id', 'inline_message_id'];

/** Whether a call stays within these chats. Whatever cannot be judged is refused. */
export function judgeChats(chats: ReadonlySet<number>, lowerCaseMethod: string, seen: SeenParameters): ChatJudgement {
  const names = chatParametersOf(lowerCaseMethod);
  if (names === null) return refused('it may act in some chats only');
  const pinned: string[] = [];
  for (const name of names) {
    const values = seen.get(name) ?? [];
    const [first] = values;
    if (first === undefined) return refused(`${name} is missing, or comes after the first file`);
    const other = values.find((value) => !isAmong(chats, value));
    if (other !== undefined) return refused(`${name} is not one of its chats`, other);
    pinned.push(`${name}=${first}`);
  }
  for (const name of ELSEWHERE) {
    if (seen.get(name)?.some((value) => value !== '')) return refused(`${name} leads out of its chats`);
    pinned.push(`${name}=`);
  }
  const replies = seen.get('reply_parameters') ?? [];
  if (!replies.every((reply) => repliesWithin(chats, reply))) return refused('reply_parameters name another chat');
  return { outcome: 'allowed', pinned: pinned.join('&') };
}

/** Whether a reply is to a message in one of these chats. Without a `chat_id` it is to one in the reply's own chat. */
export function repliesWithin(chats: ReadonlySet<number>, reply: string): boolean {
  let within = true;
  const isWhole = scanMembers(reply, (name, raw) => {
    if (name === 'chat_id') within &&= isAmong(chats, raw.startsWith('"') ? unquoted(raw) : raw);
  });
  return isWhole && within;
}

/**
 * Whether an update happened in one of these chats. One without a chat, such as an inline query, did not; nor did one of
 * a business account, which happened in a chat of somebody else.
 */
export function isUpdateWithin(chats: ReadonlySet<number>, raw: string): boolean {
  const { update_id: _, ...update } = JSON.parse(raw) as Fields;
  const [kind, another] = Object.keys(update);
  if (kind === undefined || another !== undefined) return false;
  const payload = readObject(update, kind) ?? {};
  const isOfBusiness = [payload, readObject(payload, 'message')].some(
    (part) => part?.business_connection_id !== undefined,
  );
  const chat = chatIdOfUpdate(update, kind);
  return !isOfBusiness && chat !== null && chats.has(chat);
}

function isAmong(chats: ReadonlySet<number>, value: string): boolean {
  return CHAT_ID.test(value) && chats.has(Number(value));
}

function refused(reason: string, chat = ''): ChatJudgement {
  return { outcome: 'refused', reason, chatId: CHAT_ID.test(chat) ? Number(chat) : null };
}
