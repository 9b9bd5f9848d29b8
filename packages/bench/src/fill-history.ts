import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { HistoryRecord } from '@flotilla/domain/records/history/stream/history-codec.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';

const CHATS = 10;
const AT_ONCE = 100;

export type Owner = { botId: number; registrationId: string };
type Backlog = { firstId: number; count: number };

/**
 * Appends records in rotation: of ten, eight messages, one edit or press of a button, and one call of the bot. A process
 * of its own does it, so that the writer does not collect its garbage.
 */
export async function fillHistory(redisUrl: string, owners: Owner[], backlog: Backlog): Promise<void> {
  const child = fork(import.meta.filename, [redisUrl, JSON.stringify(owners), JSON.stringify(backlog)]);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the backlog could not be made');
}

async function fill(redisUrl: string, owners: Owner[], { firstId, count }: Backlog): Promise<void> {
  const redis = await connectRedis({ url: redisUrl, log: createLogger({ name: 'bench', level: 'error' }) });
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => {
      const number = from + at;
      const owner = owners[number % owners.length]!;
      const record = recordOf(owner, firstId + number, number, owners.length);
      return ['xadd', shardKeys(shardOf(owner.botId)).history, '*', ...record] as [string, string, ...string[]];
    });
    await redis.runMany(some);
  }
  await redis.close();
}

function recordOf(owner: Owner, id: number, number: number, bots: number): HistoryRecord {
  const turn = Math.floor(number / bots);
  const chat = 7_000_000 + (turn % CHATS);
  const atMs = Date.now();
  const date = Math.floor(atMs / 1000);
  const person = {
    id: chat,
    is_bot: false,
    first_name: `Person ${chat}`,
    username: `person_${chat}`,
    language_code: 'en',
  };
  const place = { id: chat, type: 'private', first_name: person.first_name, username: person.username };
  const text = `Hello, this is the message number ${turn} with a few words of an everyday length`;
  const message = { message_id: id + 1, from: person, chat: place, date, text };
  const record = (type: string, ...fields: string[]): HistoryRecord => [
    ...['t', type, 'b', `${owner.botId}`, 'g', owner.registrationId, 'a', `${atMs}`],
    ...fields,
  ];
  const update = (body: object): HistoryRecord =>
    record('update', 'i', `${id + 1}`, 'u', JSON.stringify({ update_id: id + 1, ...body }));
  switch (Math.floor(turn / CHATS) % 10) {
    case 3:
      return update({ callback_query: { id: '1', from: person, chat_instance: '5', data: `press:${turn}`, message } });
    case 4:
      return update({ message: { ...message, caption: text, text: undefined, photo: [PHOTO, PHOTO] } });
    case 5:
      return update({ edited_message: { ...message, message_id: id + 1 - bots * CHATS, edit_date: date } });
    case 9: {
      const from = { id: owner.botId, is_bot: true, first_name: 'One of many' };
      const params = JSON.stringify({ chat_id: `${chat}`, text: 'noted' });
      return record('call', 'm', 'sendMessage', 'p', params, 'r', JSON.stringify({ ...message, from, text: 'noted' }));
    }
    default:
      return update({ message });
  }
}

const PHOTO = { file_id: 'AgACAgIAAxkBAAIBY2Wx', file_unique_id: 'AQADbcAxG', width: 90, height: 67, file_size: 1234 };

if (import.meta.main) {
  const [redisUrl, owners, backlog] = process.argv.slice(2) as [string, string, string];
  await fill(redisUrl, JSON.parse(owners), JSON.parse(backlog));
}
