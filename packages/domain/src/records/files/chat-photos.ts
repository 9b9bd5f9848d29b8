import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { isFields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { type Bot, keepsHistory } from '../../fleet/bots/bot.ts';
import { chatStore } from '../chats/chat-store.ts';
import { messageStore } from '../messages/message-store.ts';
import { readFilePath } from './file-path.ts';

export type ChatPhoto = { bytes: Buffer; mime: string; path: string };

/** The small photos of chats, and of those who write in them. */
export interface ChatPhotos {
  /**
   * The photo of a chat that the bot knows; null if it has none, or if it cannot be had now. Throws 'not_found' for a chat that
   * the bot has not seen, and 'too_many_requests' if too many others wait.
   */
  read(bot: Bot, chatId: number): Promise<ChatPhoto | null>;

  /** The photo of an author of messages in a chat, likewise. Throws 'not_found' for somebody who has not written there. */
  ofAuthor(bot: Bot, author: Author): Promise<ChatPhoto | null>;
}

type Author = { chat_id: number; user_id: number };
/** The platform is asked for the photo of a chat with the bot, or of a person who has none. */
type Subject = { kind: 'chat' | 'person'; id: number };

type Deps = { db: Database; platform: PlatformClient; clock: Clock };
type Kept = { photo: ChatPhoto | null; untilMs: number };

/** Also that there is no photo. */
const KEPT_MS = 6 * 3_600_000;
/** After a platform that did not answer, or asked to wait. */
const FAILED_MS = 60_000;
/** The platform's small photos are of 160 × 160 pixels. */
const LARGEST_BYTES = 256 * 1024;
/** All that a process keeps. */
const MOST_KEPT = 5_000;
const MOST_KEPT_BYTES = 16 * 1024 * 1024;
/** Of one bot, photos are asked for one after another, and so many more may wait. */
const MOST_WAITING = 100;

/**
 * Asks the platform for photos when somebody wants them, and keeps them: three calls a photo in six hours, and one for a chat
 * without.
 */
export function chatPhotos(deps: Deps): ChatPhotos {
  const kept = new Map<string, Kept>();
  const asked = new Map<string, Promise<ChatPhoto | null>>();
  const lanes = new Map<number, { waiting: number; last: Promise<unknown> }>();
  let keptBytes = 0;

  const forget = (key: string): void => {
    keptBytes -= kept.get(key)?.photo?.bytes.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, photo: ChatPhoto | null, forMs: number): void => {
    forget(key);
    kept.set(key, { photo, untilMs: deps.clock.nowMs() + forMs });
    keptBytes += photo?.bytes.length ?? 0;
    for (const [oldest] of kept) {
      if (kept.size <= MOST_KEPT && keptBytes <= MOST_KEPT_BYTES) return;
      forget(oldest);
    }
  };
  const inTurn = async (botId: number, work: () => Promise<void>): Promise<void> => {
    const lane = lanes.get(botId) ?? { waiting: 0, last: Promise.resolve() };
    if (lane.waiting >= MOST_WAITING) {
      throw new FlotillaError('too_many_requests', 'Too many photos are being fetched; try again', { retryAfterS: 5 });
    }
    lane.waiting += 1;
    lanes.set(botId, lane);
    const done = lane.last.then(work);
    lane.last = done.catch(() => {});
    try {
      await done;
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0) lanes.delete(botId);
    }
  };
  const fetchOnce = async (bot: Bot, subject: Subject, key: string): Promise<ChatPhoto | null> => {
    await inTurn(bot.id, async () => {
      const found = await fetchPhoto(deps.platform, bot, subject);
      keep(key, found === 'failed' ? null : found, found === 'failed' ? FAILED_MS : KEPT_MS);
    });
    return kept.get(key)?.photo ?? null;
  };

  const photoOf = async (bot: Bot, subject: Subject): Promise<ChatPhoto | null> => {
    if (bot.disabled || !keepsHistory(bot)) return null;
    // With the registration, a bot that was deleted and added again finds nothing of before.
    const key = `${bot.id} ${bot.registration_id} ${subject.kind} ${subject.id}`;
    const known = kept.get(key);
    if (known !== undefined && known.untilMs > deps.clock.nowMs()) return known.photo;
    const fetching = asked.get(key) ?? fetchOnce(bot, subject, key).finally(() => asked.delete(key));
    asked.set(key, fetching);
    return fetching;
  };
  const knows = (bot: Bot, chatId: number) => chatStore(deps.db).isKnown(bot.id, chatId);

  return {
    async read(bot, chatId) {
      if (!(await knows(bot, chatId))) throw new FlotillaError('not_found', 'The bot has not seen this chat');
      return photoOf(bot, { kind: 'chat', id: chatId });
    },

    async ofAuthor(bot, { chat_id, user_id }) {
      if (!(await messageStore(deps.db).hasAuthor({ bot_id: bot.id, chat_id }, user_id))) {
        throw new FlotillaError('not_found', 'The bot has seen no message of this author in the chat');
      }
      // Channels and groups write with their own ids.
      const isChat = user_id < 0 || (await knows(bot, user_id));
      return photoOf(bot, { kind: isChat ? 'chat' : 'person', id: user_id });
    },
  };
}

async function fetchPhoto(platform: PlatformClient, bot: Bot, subject: Subject): Promise<ChatPhoto | null | 'failed'> {
  const small = await (subject.kind === 'chat' ? photoOfChat : photoOfPerson)(platform, bot, subject.id);
  if (small === null || small === 'failed') return small;
  const file = await platform.call(bot.token, 'getFile', { file_id: small.file_id });
  if (file.outcome !== 'ok') return 'failed';
  const found = readFilePath(file.result);
  if (found.outcome === 'unreachable') return null;
  const opened = await platform.openFile(bot.token, found.path);
  if (opened.outcome !== 'open') return 'failed';
  const bytes = await readUpTo(opened.stream, LARGEST_BYTES);
  return bytes === 'failed' ? 'failed' : bytes && { bytes, mime: opened.mime, path: found.path };
}

type SmallPhoto = { file_id: string } | null | 'failed';

async function photoOfChat(platform: PlatformClient, { token }: Bot, id: number): Promise<SmallPhoto> {
  const chat = await platform.call(token, 'getChat', { chat_id: id });
  if (chat.outcome !== 'ok') return withoutAnswer(chat);
  const photo = isFields(chat.result) ? readObject(chat.result, 'photo') : null;
  const file_id = photo === null ? null : readText(photo, 'small_file_id');
  return file_id === null ? null : { file_id };
}

/** The newest of the photos of a profile, in its smallest size. */
async function photoOfPerson(platform: PlatformClient, { token }: Bot, id: number): Promise<SmallPhoto> {
  const profile = await platform.call(token, 'getUserProfilePhotos', { user_id: id, limit: 1 });
  if (profile.outcome !== 'ok') return withoutAnswer(profile);
  const [sizes] = isFields(profile.result) && Array.isArray(profile.result.photos) ? profile.result.photos : [];
  const smallest: unknown = Array.isArray(sizes) ? sizes[0] : undefined;
  const file_id = isFields(smallest) ? readText(smallest, 'file_id') : null;
  return file_id === null ? null : { file_id };
}

/** A refusal says that there is nothing to see; without an answer, or told to wait, it is asked again soon. */
function withoutAnswer(call: Exclude<PlatformAnswer, { outcome: 'ok' }>): null | 'failed' {
  return call.outcome === 'refused' && call.errorCode !== TOO_MANY ? null : 'failed';
}

const TOO_MANY = 429;

/** Null for more bytes than that. */
async function readUpTo(stream: AsyncIterable<Buffer>, most: number): Promise<Buffer | null | 'failed'> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of stream) {
      size += piece.length;
      // Leaving the loop ends the download.
      if (size > most) return null;
      pieces.push(piece);
    }
  } catch {
    return 'failed';
  }
  return Buffer.concat(pieces);
}
