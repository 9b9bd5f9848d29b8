import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { mergeSearchWords } from '@flotilla/database/month-partitions.ts';
import { searchQuery } from '@flotilla/database/search-query.ts';
import { lookUpSteps } from '@flotilla/domain/records/messages/look-up-steps.ts';
import { searchMessages } from '@flotilla/domain/records/messages/search-messages.ts';
import { readSearchPlaces } from '@flotilla/domain/records/messages/search-places.ts';
import type { SearchScope } from '@flotilla/domain/records/messages/search-scope.ts';
import { lookUpStatement } from '@flotilla/domain/records/messages/search-store.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { sql } from 'kysely';
import { BUSY_CHAT, type Corpus, multiplyCorpus, OLD_CHAT, SHARES, storeCorpus } from './chat-corpus.ts';
import { percentile } from './percentile.ts';
import { postgresPart, usageOf } from './process-usage.ts';
import { ms, perSecond, report } from './report.ts';

const ROWS = 5_000_000;
/** So many are stored as the history writer does; the others are copies of them for other bots, made inside Postgres. */
const WRITTEN = 250_000;
const COPIES = 20;
const SEARCHES = 40;
const ROUNDS = 3;

/** Full-text search in one chat, one bot and all bots, with `rows` messages stored in total. */
export async function benchSearch({ url, rows = ROWS }: { url: string; rows?: number }): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 4, queryTimeoutMs: null });
  try {
    const botId = await storedBot(db);
    const corpus = await storeCorpus(db, botId, Math.min(Math.ceil(rows / COPIES), WRITTEN));
    const bots = await multiplyCorpus(db, botId, rows);
    await mergeSearchWords(db);
    await sql`vacuum analyze messages`.execute(db);
    report(`Messages to search: ${rows.toLocaleString('en')} of ${bots.length} bots`, [
      {
        what: 'stored, by the history writer’s statements',
        figure: perSecond(corpus.rowsPerSecond),
        target: '≥ 10,000/s',
      },
      { what: 'table and indexes', figure: await sizes(db) },
    ]);
    const scopes: Record<string, SearchScope> = {
      'a chat of two years': { botId, chatIds: [OLD_CHAT] },
      'a chat of nine days': { botId, chatIds: [BUSY_CHAT] },
      'one bot': { botIds: [botId] },
      'two bots': { botIds: bots.slice(0, 2) },
      'every second bot': { botIds: bots.filter((_, at) => at % 2 === 0) },
      'all bots': 'fleet',
    };
    for (const [where, scope] of Object.entries(scopes)) await measureScope({ db, url }, corpus, where, scope);
    process.stdout.write(`\n${await planOf(db, corpus.words[9_000] ?? '')}\n`);
  } finally {
    await db.destroy();
  }
}

async function measureScope(
  { db, url }: { db: Database; url: string },
  corpus: Corpus,
  where: string,
  scope: SearchScope,
): Promise<void> {
  const isChat = scope !== 'fleet' && 'chatIds' in scope;
  const figures: { what: string; figure: string; target?: string }[] = [];
  const rounds: number[][] = Array.from({ length: ROUNDS }, () => []);
  const postgres = await postgresPart(url);
  const [cpuBefore, nodeBefore] = [usageOf(postgres).cpuSeconds, process.cpuUsage()];
  for (const [name, questions] of Object.entries(questionsOf(corpus))) {
    const all: number[] = [];
    for (const round of rounds) {
      const took = await ask(db, scope, questions);
      round.push(...took);
      all.push(...took);
    }
    figures.push({ what: `${name}, p50 / p95`, figure: `${ms(percentile(all, 50))} / ${ms(percentile(all, 95))}` });
  }
  const searches = rounds.flat().length;
  const { user, system } = process.cpuUsage(nodeBefore);
  const cpu = [(usageOf(postgres).cpuSeconds - cpuBefore) * 1000, (user + system) / 1000].map((one) =>
    ms(one / searches),
  );
  figures.push({ what: 'processor time of a search, Postgres / Node', figure: cpu.join(' / ') });
  const p95 = rounds.map((round) => ms(percentile(round, 95))).join(', ');
  figures.push({
    what: `all of them, p95 of each of ${ROUNDS} rounds`,
    figure: p95,
    target: isChat ? '≤ 30 ms' : '≤ 150 ms',
  });
  report(`Search in ${where}`, figures);
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

async function ask(db: Database, scope: SearchScope, questions: string[]): Promise<number[]> {
  const took: number[] = [];
  for (const q of questions) {
    const begunAt = performance.now();
    await searchMessages({ db }, { scope, q, limit: 51, offset: 0, before: null });
    took.push(performance.now() - begunAt);
  }
  return took;
}

/** The plan by which Postgres looks a word up in all messages. */
async function planOf(db: Database, q: string): Promise<string> {
  const query = searchQuery(q);
  if (query === null) return '';
  const searched = { scope: 'fleet', limit: 50, offset: 0, before: null } as const;
  const { periods, partitions } = await readSearchPlaces(db, searched);
  const statement = lookUpStatement(searched, lookUpSteps('fleet', query, periods, false), query, 200, partitions);
  const { rows } = await sql<Record<string, string>>`explain (analyze, costs off) ${statement}`.execute(db);
  return rows.map((row) => `  ${row['QUERY PLAN']}`).join('\n');
}

async function sizes(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string; size: string }>`
    select relname as name, pg_size_pretty((
      select sum(pg_relation_size(relid)) from pg_partition_tree(oid) where isleaf)) as size
    from pg_class where relname in (
      'messages', 'messages_pkey', 'messages_newest', 'messages_search', 'messages_of_bot', 'messages_of_fleet'
    ) order by relname`.execute(db);
  return rows.map(({ name, size }) => `${name} ${size}`).join(', ');
}
