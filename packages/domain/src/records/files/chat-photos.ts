import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { isFields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { chatStore } from '../chats/chat-store.ts';
import { readFilePath } from './file-path.ts';

export type ChatPhoto = { bytes: Buffer; mime: string; path: string };

/** The small photos of chats. */
export interface ChatPhotos {
  /**
   * The photo of a chat that the bot knows; null if it has none, or if it cannot be had now. Throws 'not_found' for a chat that
   * the bot has not seen, and 'too_many_requests' if too many others wait.
   */
  read(bot: Bot, chatId: number): Promise<ChatPhoto | null>;
}

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
  const fetchOnce = async (bot: Bot, chatId: number, key: string): Promise<ChatPhoto | null> => {
    await inTurn(bot.id, async () => {
      const found = await fetchPhoto(deps.platform, bot, chatId);
      keep(key, found === 'failed' ? null : found, found === 'failed' ? FAILED_MS : KEPT_MS);
    });
    return kept.get(key)?.photo ?? null;
  };

  return {
    async read(bot, chatId) {
      if ((await chatStore(deps.db).find(bot.id, chatId)) === null) {
        throw new FlotillaError('not_found', 'The bot has not seen this chat');
      }
      if (bot.disabled || !bot.manageEnabled) return null;
      // With the registration, a bot that was deleted and added again finds nothing of before.
      const key = `${bot.id} ${bot.registrationId} ${chatId}`;
      const known = kept.get(key);
      if (known !== undefined && known.untilMs > deps.clock.nowMs()) return known.photo;
      const fetching = asked.get(key) ?? fetchOnce(bot, chatId, key).finally(() => asked.delete(key));
      asked.set(key, fetching);
      return fetching;
    },
  };
}

async function fetchPhoto(platform: PlatformClient, bot: Bot, chatId: number): Promise<ChatPhoto | null | 'failed'> {
  const chat = await platform.call(bot.token, 'getChat', { chat_id: chatId });
  if (chat.outcome === 'refused') return chat.errorCode === TOO_MANY ? 'failed' : null;
  if (chat.outcome !== 'ok') return 'failed';
  const photo = isFields(chat.result) ? readObject(chat.result, 'photo') : null;
  const fileId = photo === null ? null : readText(photo, 'small_file_id');
  if (fileId === null) return null;
  const file = await platform.call(bot.token, 'getFile', { file_id: fileId });
  if (file.outcome !== 'ok') return 'failed';
  const found = readFilePath(file.result);
  if (found.outcome === 'unreachable') return null;
  const opened = await platform.openFile(bot.token, found.path);
  if (opened.outcome !== 'open') return 'failed';
  const bytes = await readUpTo(opened.stream, LARGEST_BYTES);
  return bytes === 'failed' ? 'failed' : bytes && { bytes, mime: opened.mime, path: found.path };
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
