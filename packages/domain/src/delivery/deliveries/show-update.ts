import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { chatIdOfUpdate, connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { chatOfUpdate, readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type AcceptedLine, readAcceptedLine, type Via } from '../../records/journal/accepted-line.ts';
import { readLines } from '../../records/journal/read-lines.ts';
import { messageOfUpdate } from '../../records/messages/message-of-update.ts';
import type { Message } from '../../records/messages/message-store.ts';
import { type CallOfUpdate, callsOfUpdate } from './calls-of-update.ts';
import { deadLetterStore } from './dead-letter-store.ts';
import { findRecentUpdate } from './find-kept-update.ts';
import type { KnownUpdate } from './known-update.ts';
import { listAttempts } from './list-attempts.ts';
import { type ReaderOfUpdate, readersOfUpdate } from './readers-of-update.ts';

type Deps = { db: Database; redis: RedisHandles };

/** The facts that are kept of an update. */
export type ShownUpdate = {
  /** Its JSON text; null when neither a reader nor a dead letter needs it any more. */
  raw: string | null;
  acceptedAtMs: number | null;
  via: Via | null;
  kind: string | null;
  chat_id: number | null;
  /** The message that it is about, while the history has it. */
  message: Message | null;
  readers: ReaderOfUpdate[];
  calls: CallOfUpdate[];
};

const ATTEMPTS_SHOWN = 500;

/** The known facts of an update of the bot, all readers together; null if there are none. */
export async function showUpdate(deps: Deps, bot: Bot, update_id: number): Promise<ShownUpdate | null> {
  const [lines, entry, { attempts }, letters, recent] = await Promise.all([
    acceptedLines(deps, bot, update_id),
    logEntry(deps, bot.id, update_id),
    listAttempts(deps, bot, { update_id, withDropped: true }, { limit: ATTEMPTS_SHOWN, before: null }),
    deadLetterStore(deps.db).ofUpdate(bot.id, readerNames(bot), update_id),
    findRecentUpdate(deps, bot.id, update_id),
  ]);
  const raw = entry?.raw ?? recent ?? letters[0]?.payload ?? null;
  if (lines.length === 0 && attempts.length === 0 && raw === null) return null;
  const first = lines.findLast(({ via }) => via !== 'redrive') ?? lines.at(-1);
  const facts = factsOf(raw, first, entry);
  const known: KnownUpdate = {
    id: update_id,
    acceptedAtMs: first?.atMs ?? entry?.atMs ?? null,
    ...{ kind: facts.kind, lane: facts.lane },
    isAllowed: first?.isAllowed ?? entry?.isAllowed ?? null,
    mark: entry?.mark ?? (first?.via === 'redrive' ? null : (first?.mark ?? null)),
    names: [
      String(update_id),
      ...lines.flatMap(({ via, place }) => (via === 'redrive' && place !== null ? [place] : [])),
    ],
    attempts,
    letters,
  };
  const chatId = facts.chatId ?? attempts.find((attempt) => attempt.chatId !== null)?.chatId ?? null;
  const messageId = first !== undefined && first.via !== 'redrive' && first.place !== null ? Number(first.place) : null;
  const about = { acceptedAtMs: known.acceptedAtMs, chat_id: chatId, messageId, kind: known.kind };
  const [readers, calls, message] = await Promise.all([
    readersOfUpdate(deps, bot, known),
    callsOfUpdate(deps, bot, { ...about, businessConnectionId: connectionIn(raw, known.kind) }, attempts),
    messageOfUpdate(deps.db, bot, { ...about, update_id }),
  ]);
  return { raw, message, ...about, via: lines[0]?.via ?? null, readers, calls };
}

function connectionIn(raw: string | null, kind: string | null): string | null {
  return raw === null || kind === null ? null : connectionOfUpdate(JSON.parse(raw), kind);
}

function acceptedLines(deps: Deps, bot: Bot, update_id: number): Promise<AcceptedLine[]> {
  const sources = [{ reader: 'intake', list: botKeys(bot.id).accepted }];
  const read = (_reader: string, line: string) => {
    const accepted = readAcceptedLine(line);
    if (accepted === null || accepted.update_id !== update_id) return null;
    return { ...accepted, id: `${accepted.via}${accepted.place}` };
  };
  const page = { limit: ATTEMPTS_SHOWN, before: null };
  return readLines(deps, { botId: bot.id, sources, filter: { update_id } }, read, page).then(({ lines }) => lines);
}

type LogEntry = { raw: string; kind: string; lane: string; atMs: number; isAllowed: boolean; mark: string | null };

async function logEntry({ redis }: Deps, botId: number, updateId: number): Promise<LogEntry | null> {
  const at = `${updateId}-0`;
  const [found] = await redis.commands.xrange(botKeys(botId).log, at, at);
  if (found === undefined) return null;
  const [, values] = found;
  const field = (name: string) => {
    const place = values.indexOf(name);
    return place === -1 ? null : (values[place + 1] ?? null);
  };
  const [raw, kind, lane, atMs] = [values[1] ?? '', values[3] ?? '', values[5] ?? '', Number(values[7])];
  return { raw, kind, lane, atMs, isAllowed: values[13] !== '1', mark: values.length > 16 ? field('o') : null };
}

function factsOf(raw: string | null, line: AcceptedLine | undefined, entry: LogEntry | null) {
  const known = entry ?? line ?? null;
  if (raw !== null) {
    const update = JSON.parse(raw) as Record<string, unknown>;
    const { kind, lane } = readUpdateFacts(update);
    return { kind, lane: known?.lane ?? lane, chatId: chatIdOfUpdate(update, kind) };
  }
  if (line === undefined) return { kind: null, lane: null, chatId: null };
  return { kind: line.kind, lane: line.lane, chat_id: line.chat_id ?? chatOfUpdate(line.kind, line.lane, '{}') };
}

/** The readers that may have dead letters. */
function readerNames({ programs }: Bot): string[] {
  return ['push', 'rules', 'history', ...programs.map(({ id }) => programReaderName(id))];
}
