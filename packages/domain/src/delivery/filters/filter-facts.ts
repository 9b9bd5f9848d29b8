import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';
import { authorOf } from '@flotilla/telegram/message-facts.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { topicOfUpdate } from '@flotilla/telegram/message-topic.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** The facts that filters look at. Those that an update lacks are null or empty, and then no condition about it holds. */
export type FilterFacts = {
  chatId: number | null;
  chatType: string | null;
  /** OUTSIDE_TOPICS for none. */
  topic: number | null;
  /** Who wrote or did it: a user, or the chat in whose name it was done. If it names nobody: who wrote the message that it is about. */
  userIds: number[];
  text: string | null;
  /** Lower case, with the bot that it names ('' for none). */
  command: { name: string; of: string } | null;
};

/** Of a longer text only this much is looked at: the platform's limit of a message. */
const LONGEST_TEXT = 4096;
/** Who votes or reacts. A chat that votes comes first, since `user` is then a stand-in. */
const VOTERS = ['voter_chat', 'actor_chat', 'user'];

/** Reads what filters look at. Never throws, whatever the update is. */
export function filterFacts(update: Fields, kind: string): FilterFacts {
  const payload = readObject(update, kind) ?? {};
  const chat = readObject(payload, 'chat') ?? readObject(readObject(payload, 'message') ?? {}, 'chat');
  const text = textOf(payload, kind);
  const users = usersOf(payload, kind);
  const wroteIt = users.length === 0 ? authorOf(readObject(payload, 'message') ?? {}) : null;
  return {
    chatId: chat === null ? null : idOf(chat),
    chatType: chat === null ? null : readText(chat, 'type'),
    topic: topicOfUpdate(payload, kind),
    userIds: [...users, ...(wroteIt === null ? [] : [wroteIt])].flatMap((user) => idOf(user) ?? []),
    text,
    command: isMessage(kind) && text !== null ? commandIn(text) : null,
  };
}

function usersOf(payload: Fields, kind: string): Fields[] {
  const boost = kind === 'chat_boost' ? readObject(payload, 'boost') : kind === 'removed_chat_boost' ? payload : null;
  const booster = readObject(readObject(boost ?? {}, 'source') ?? {}, 'user');
  const voter = VOTERS.map((field) => readObject(payload, field)).find((user) => user !== null);
  return [authorOf(payload), voter ?? null, booster].filter((user) => user !== null);
}

function textOf(payload: Fields, kind: string): string | null {
  const text = isMessage(kind) ? wordsOf(payload) : readText(payload, kindFacts(kind)?.text ?? 'query');
  return text === null ? null : text.slice(0, LONGEST_TEXT);
}

/** Blocks that are nested so deeply that they cannot be read have no words; they must not stop intake. */
function wordsOf(message: Fields): string | null {
  try {
    return readMessageText(message);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function commandIn(text: string): FilterFacts['command'] {
  const [, name, of = ''] = /^\/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{1,64}))?(?:\s|$)/.exec(text) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), of: of.toLowerCase() };
}

function isMessage(kind: string): boolean {
  return kindFacts(kind)?.message !== undefined;
}

function idOf(object: Fields): number | null {
  return Number.isSafeInteger(object.id) ? (object.id as number) : null;
}
