import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { searchQuery } from '@flotilla/database/search-query.ts';
import { searchMessages } from '@flotilla/domain/records/messages/search-messages.ts';
import { lookUpStatement } from '@flotilla/domain/records/messages/search-store.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { sql } from 'kysely';
import { BUSY_CHAT, type Corpus, OLD_CHAT, SHARES, storeCorpus } from './chat-corpus.ts';
import { percentile } from './percentile.ts';
import { ms, perSecond, report } from './report.ts';

const ROWS = 300_000;
const SEARCHES = 40;

/** Full-text search within one chat, with `rows` messages stored in total. */
export async function benchSearch({ url, rows = ROWS }: { url: string; rows?: number }): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 4, queryTimeoutMs: null });
  try {
    const botId = await storedBot(db);
    const corpus = await storeCorpus(db, botId, rows);
    await sql`vacuum analyze messages`.execute(db);
    const figures: { what: string; figure: string; target?: string }[] = [
      {
        what: 'stored, by the history writer’s statements',
        figure: perSecond(corpus.rowsPerSecond),
        target: '≥ 10,000/s',
      },
      { what: 'table and its three indexes', figure: await sizes(db) },
    ];
    const all: number[] = [];
    for (const [name, questions] of Object.entries(questionsOf(corpus))) {
      for (const [chat, chatId] of Object.entries({ 'two years': OLD_CHAT, 'nine days': BUSY_CHAT })) {
        const took = await ask(db, botId, chatId, questions);
        all.push(...took);
        const figure = `${ms(percentile(took, 50))} / ${ms(percentile(took, 95))}`;
        figures.push({ what: `${name}, chat of ${chat}, p50 / p95`, figure });
      }
    }
    figures.push({ what: 'all of them, p95', figure: ms(percentile(all, 95)), target: '≤ 30 ms' });
    report(`Search in one chat, ${rows.toLocaleString('en')} messages stored`, figures);
    process.stdout.write(`\n${await planOf(db, botId, corpus.words[9_000] ?? '')}\n`);
  } finally {
    await db.destroy();
  }
}

function questionsOf({ words }: Corpus): Record<string, string[]> {
  const from = (rank: number, step: number) =>
    Array.from({ length: SEARCHES }, (_, at) => words[rank + at * step] ?? '');
  const pairs = (left: string[], right: string[]) => left.map((word, at) => `${word} ${right[at]}`);
  return {
    'very common words': from(0, 1),
    'common words': from(100, 20),
    'rare words': from(5_000, 500),
    'a word nobody wrote': from(1, 1).map((word) => `${word}qq`),
    'words of a known share': Object.keys(SHARES),
    'a word of long ago': ['eclipse', 'eclip'],
    'two common words': pairs(from(20, 3), from(40, 5)),
    'a rare and a common word': pairs(from(9_000, 300), from(10, 1)),
    'a common and a rare word': pairs(from(10, 1), from(9_000, 300)),
    'a rare word and one letter': pairs(from(3_000, 700), [...'kdlmnrstvpzgkdlmnrstvpzgkdlmnrstvpzgkdlm']),
    'two letters': from(30, 11).map((word) => word.slice(0, 2)),
    'emoji and Chinese': ['😀', '明天', '我们 😀', '天见'],
  };
}

async function ask(db: Database, botId: number, chatId: number, questions: string[]): Promise<number[]> {
  const took: number[] = [];
  for (const q of questions) {
    const begunAt = performance.now();
    await searchMessages({ db }, { botId, chatId, q, limit: 50, offset: 0, before: null });
    took.push(performance.now() - begunAt);
  }
  return took;
}

/** The plan by which Postgres looks a word up in the chat of two years. */
async function planOf(db: Database, botId: number, q: string): Promise<string> {
  const query = searchQuery(q);
  if (query === null) return '';
  const chat = { botId, chatId: OLD_CHAT };
  const page = { limit: 50, offset: 0, before: null };
  const statement = lookUpStatement(chat, query, page, { enough: 1000, lastIsBroad: false });
  const { rows } = await sql<Record<string, string>>`explain (analyze, costs off) ${statement}`.execute(db);
  return rows.map((row) => `  ${row['QUERY PLAN']}`).join('\n');
}

async function sizes(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string; size: string }>`
    select relname as name, pg_size_pretty((
      select sum(pg_relation_size(relid)) from pg_partition_tree(oid) where isleaf)) as size
    from pg_class
    where relname in ('messages', 'messages_pkey', 'messages_newest', 'messages_search') order by relname`.execute(db);
  return rows.map(({ name, size }) => `${name} ${size}`).join(', ');
}
