import type { Database } from '@flotilla/database/connect.ts';
import { makeMonths, readPartitions } from '@flotilla/database/month-partitions.ts';
import { MESSAGE_COLUMNS } from '@flotilla/domain/records/history/message-row.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { type RawBuilder, sql } from 'kysely';

/** One chat spread over two years, one with half as many messages within nine days, and ten thousand small chats. */
export const OLD_CHAT = -1;
export const BUSY_CHAT = -2;
const SMALL_CHATS = 10_000;

const NOW_S = Math.floor(Date.now() / 1000);
const OLD_SPAN_S = 2 * 365 * 86_400;
const BUSY_SPAN_S = 9 * 86_400;
const BATCH = 500;
const WORDS = 40_000;

const SYLLABLES = 'ka lo mi ne ru ta so vi pe da zu gri sto bel fan прив мет сто ка дом лес'.split(' ');

/** Marker words, each with the share of all messages that contain it. */
export const SHARES = { half: 0.5, tenth: 0.1, thirtieth: 0.033, hundredth: 0.01, thousandth: 0.001 } as const;

export interface Corpus {
  /** Most common first. The share of the n-th word falls with n, as in a language. */
  words: string[];
  rowsPerSecond: number;
}

/** Stores this many messages as the history writer does. The texts are the same in every run. */
export async function storeCorpus(db: Database, botId: number, rows: number): Promise<Corpus> {
  const random = repeatable(12_345);
  const words = Array.from({ length: WORDS }, (_, at) => spell(at));
  const lastIds = new Map<number, number>();
  await makeMonths(db, 'messages', NOW_S - OLD_SPAN_S, NOW_S);
  const begunAt = performance.now();
  for (let stored = 0; stored < rows; stored += BATCH) {
    const batches = new Map<number, { id: number; date: number; text: string }[]>();
    for (let at = stored; at < stored + BATCH; at += 1) {
      const { chatId, date } = place(random, at / rows);
      const id = (lastIds.get(chatId) ?? 0) + 1;
      lastIds.set(chatId, id);
      const batch = batches.get(chatId) ?? [];
      batch.push({ id, date, text: write(random, words, at / rows) });
      batches.set(chatId, batch);
    }
    await storeMessages(
      db,
      botId,
      [...batches].flatMap(([chatId, messages]) => messages.map((message) => ({ ...message, chat_id: chatId }))),
    );
  }
  return { words, rowsPerSecond: (rows * 1000) / (performance.now() - begunAt) };
}

function place(random: () => number, progress: number): { chatId: number; date: number } {
  const which = random();
  if (which < 0.2) return { chatId: BUSY_CHAT, date: NOW_S - Math.round(BUSY_SPAN_S * (1 - progress)) };
  const date = NOW_S - Math.round(OLD_SPAN_S * (1 - progress));
  return { chatId: which < 0.6 ? OLD_CHAT : 1 + Math.floor(random() * random() * SMALL_CHATS), date };
}

function write(random: () => number, words: string[], progress: number): string {
  const count = 3 + Math.floor(random() * 10);
  const text = Array.from({ length: count }, () => words[Math.floor(words.length ** random()) - 1] ?? '');
  for (const [word, share] of Object.entries(SHARES)) if (random() < share) text.push(word);
  if (random() < 0.02) text.push('😀');
  if (random() < 0.02) text.push('我们明天见');
  // A word that is common for a short time and never appears again.
  if (progress > 0.3 && progress < 0.33 && random() < 0.4) text.push('eclipse');
  return text.join(' ');
}

function spell(at: number): string {
  let word = '';
  for (let rest = at + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

/** A linear congruential generator, so that runs can be compared. */
function repeatable(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Of the rows, half are of the first bot. */
const OTHER_BOTS = 10;
const IDS_APART = 10_000_000;

/**
 * Copies the corpus of a bot, in the order of dates, until there are about so many rows: into its own chats with other ids, and to ten
 * other bots. Returns all bots, the first one first.
 */
export async function multiplyCorpus(db: Database, botId: number, rows: number): Promise<number[]> {
  const { rows: counted } = await sql<{ count: number }>`select count(*) as count from messages`.execute(db);
  const copies = Math.max(0, Math.round(rows / (counted[0]?.count ?? 1)) - 1);
  if (copies < 2 * OTHER_BOTS - 1) return [botId];
  const others: number[] = [];
  for (let made = 0; made < OTHER_BOTS; made += 1) others.push(await storedBot(db));
  const targets = Array.from({ length: copies }, (_, at) =>
    at % 2 === 0 ? botId : others[Math.floor(at / 2) % OTHER_BOTS],
  );
  await db.connection().execute(async (connection) => {
    // The triggers would count authors for minutes.
    await sql`set session_replication_role = replica`.execute(connection);
    for (const { fromS, untilS } of await readPartitions(connection as Database, 'messages')) {
      if (fromS !== null && untilS !== null)
        await copyMonth(connection as Database, targets as number[], fromS, untilS);
    }
    await sql`set session_replication_role = default`.execute(connection);
  });
  await sql`
    insert into chats (bot_id, id, type, message_count, last_date)
    select bot_id, chat_id, 'supergroup', count(*), max(date) from messages group by 1, 2
    on conflict (bot_id, id) do update set message_count = excluded.message_count`.execute(db);
  return [botId, ...others];
}

async function copyMonth(db: Database, targets: number[], fromS: number, untilS: number): Promise<void> {
  const rest = sql.join(
    MESSAGE_COLUMNS.filter((name) => name !== 'bot_id' && name !== 'id').map((name) => sql.ref(name)),
  );
  const digest = (named: RawBuilder<unknown>, characters: number) =>
    sql`left(encode(sha256(convert_to(${named}, 'UTF8')), 'base64'), ${sql.lit(characters)})`;
  // searchColumn makes the same.
  const ofBot = (bot: RawBuilder<unknown>) => sql`'''' || ${digest(sql`${bot} || ' ' || (date >> 20)`, 4)}`;
  const ofChat = (bot: RawBuilder<unknown>) =>
    sql`'''=' || ${digest(sql`${bot} || ' ' || chat_id || ' ' || (date >> 20)`, 6)}`;
  await sql`
    insert into messages (bot_id, id, ${rest}, search)
    select copy.bot, id + copy.number * ${sql.lit(IDS_APART)}, ${rest},
      case when copy.bot = m.bot_id then search else replace(replace(search::text,
        ${ofBot(sql`m.bot_id`)}, ${ofBot(sql`copy.bot`)}), ${ofChat(sql`m.bot_id`)}, ${ofChat(sql`copy.bot`)})::tsvector end
    from messages m cross join unnest(${targets}::bigint[]) with ordinality as copy (bot, number)
    where date >= ${fromS} and date < ${untilS}
    order by date`.execute(db);
}
