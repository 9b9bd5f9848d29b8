import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { programOfReader, programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type Attempt, readAttemptLine } from '../../records/journal/attempt-line.ts';
import type { LineFilter } from '../../records/journal/journal-store.ts';
import { type JournalSource, type LineCursor, readLines } from '../../records/journal/read-lines.ts';
import {
  type BotWithBackend,
  backendOfProgram,
  deliveryIdOf,
  idOfReplay,
  REPLAY_HEADERS,
  webhookIdOf,
} from '../push/backend.ts';
import type { KeptExcerpt } from '../push/keep-excerpts.ts';
import { type ShownRequest, shownRequest } from '../push/shown-request.ts';
import { signDelivery } from '../push/sign-delivery.ts';

type Deps = { db: Database; redis: RedisHandles };

/** An attempt of a reader: 'push', 'rules' or 'program:<id>'. */
export type ReaderAttempt = Attempt & { id: string; reader: string };

export type ListedAttempt = ReaderAttempt & {
  program_name: string | null;
  /** The request is not stored but derived from the bot's settings: null when they have changed since, and of rules. */
  request: ShownRequest | null;
  excerpt: KeptExcerpt | null;
};

export type AttemptQuery = LineFilter & {
  /** Undefined: of all readers. */
  reader?: 'push' | 'rules' | 'program' | undefined;
  program_id?: number | undefined;
  /** Also the ends of updates without an attempt: a rule dropped them. */
  withDropped?: boolean;
};

/** Attempts of a bot's readers to hand over its updates, newest first, and where to go on. */
export async function listAttempts(
  deps: Deps,
  bot: Bot,
  query: AttemptQuery,
  page: { limit: number; before: LineCursor | null },
): Promise<{ attempts: ListedAttempt[]; next: LineCursor | null }> {
  const sources = sourcesOf(bot, query);
  if (sources.length === 0) return { attempts: [], next: null };
  const read = (reader: string, line: string): ReaderAttempt | null => {
    const attempt = readAttemptLine(line);
    if (attempt === null || !isWanted(query, attempt)) return null;
    return { ...attempt, reader, id: idOf(reader, attempt) };
  };
  const { lines, next } = await readLines(deps, { botId: bot.id, sources, filter: query }, read, page);
  return { attempts: await withRequests(deps, bot, lines), next };
}

function sourcesOf(bot: Bot, { reader, program_id }: AttemptQuery): JournalSource[] {
  const { attempts, rulesAttempts } = botKeys(bot.id);
  const sources: JournalSource[] = [];
  const isOfBot = program_id === undefined;
  if (isOfBot && reader !== 'rules' && reader !== 'program') sources.push({ reader: 'push', list: attempts });
  if (isOfBot && (reader === undefined || reader === 'rules')) sources.push({ reader: 'rules', list: rulesAttempts });
  if (reader !== undefined && reader !== 'program') return sources;
  const programs = bot.programs.filter(({ id }) => program_id === undefined || id === program_id);
  const ofPrograms = programs.map(({ id }) => ({
    reader: programReaderName(id),
    list: programKeys(bot.id, id).attempts,
  }));
  return [...sources, ...ofPrograms];
}

function isWanted(query: AttemptQuery, { outcome, status, updateId, chatId, atMs }: Attempt): boolean {
  const { ok, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, withDropped = false } = query;
  if (outcome === 'dropped' && !withDropped) return false;
  if (ok !== undefined && ok !== (outcome === 'delivered')) return false;
  if (query.status !== undefined && (status < query.status.from || status > query.status.to)) return false;
  if (query.update_id !== undefined && query.update_id !== updateId) return false;
  if (query.chat_id !== undefined && query.chat_id !== chatId) return false;
  return atMs >= sinceMs && atMs < untilMs;
}

async function withRequests({ redis }: Deps, bot: Bot, attempts: ReaderAttempt[]): Promise<ListedAttempt[]> {
  const backends = backendsOf(bot, new Set(attempts.map(({ reader }) => reader)));
  const names = [...backends.keys()];
  const keys = names.map((name) => {
    const programId = programOfReader(name);
    return programId === null ? botKeys(bot.id).excerpts : programKeys(bot.id, programId).excerpts;
  });
  const found = (await redis.runMany(keys.map((key) => ['lrange', key, 0, -1]))) as string[][];
  const excerpts = new Map(
    found.flatMap((texts, at) =>
      texts.map((text) => {
        const kept = JSON.parse(text) as KeptExcerpt;
        return [idOf(names[at]!, kept), kept] as const;
      }),
    ),
  );
  return attempts.map((attempt) => {
    const backend = backends.get(attempt.reader);
    return {
      ...attempt,
      program_name: backend?.program?.name ?? null,
      request: backend === undefined ? null : requestOf(backend, attempt),
      excerpt: excerpts.get(attempt.id) ?? null,
    };
  });
}

function backendsOf(bot: Bot, readers: ReadonlySet<string>): Map<string, BotWithBackend> {
  const backends = new Map<string, BotWithBackend>();
  if (readers.has('push')) backends.set('push', bot);
  for (const program of bot.programs) {
    const name = programReaderName(program.id);
    if (readers.has(name)) backends.set(name, backendOfProgram(bot, program));
  }
  return backends;
}

function requestOf(backend: BotWithBackend, { revision, updateId, atMs, replay }: Attempt): ShownRequest | null {
  if (revision !== backend.revision) return null;
  const id = replay === undefined ? updateId : idOfReplay(updateId, replay);
  // The signature itself is not kept, so it is shown masked.
  const signed = signDelivery(backend.signing, { id: webhookIdOf(backend, id), atMs, body: '' }) ?? {};
  const marked = replay === undefined ? signed : { ...signed, ...REPLAY_HEADERS };
  return shownRequest(backend, { ...marked, 'Flotilla-Delivery-Id': deliveryIdOf(backend, id) });
}

/** After its first failure an update may be sent again within the same millisecond. */
function idOf(
  reader: string,
  { updateId, atMs, attempt, destination }: Pick<Attempt, 'updateId' | 'atMs' | 'attempt' | 'destination'>,
): string {
  const id = `${updateId}-${atMs}-${attempt}`;
  if (reader === 'push') return id;
  if (reader === 'rules') return `${destination?.replaceAll(' ', '-')}-${id}`;
  return `${programOfReader(reader)}-${id}`;
}
