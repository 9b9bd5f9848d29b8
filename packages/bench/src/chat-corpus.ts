import type { Database } from '@flotilla/database/connect.ts';
import { makeMonths } from '@flotilla/database/month-partitions.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';

/** One chat spread over two years, one with half as many messages within nine days, and ten thousand small chats. */
export const OLD_CHAT = -1;
export const BUSY_CHAT = -2;
const SMALL_CHATS = 10_000;

const NOW_S = 1_780_000_000;
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
