import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { EventKind } from '@flotilla/contract/events.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { KnownFloods } from '../../fleet/bot-list/attention.ts';
import { type AttentionOfBot, listAttention } from '../../fleet/bot-list/list-attention.ts';
import type { StatusColumns } from '../../fleet/bot-list/status-columns.ts';
import type { ActiveProgram } from '../../fleet/bots/active-program.ts';
import { type Bot, hasBackend } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { type NewEvent, recordEvent } from '../../people/events/record-event.ts';
import { isOfClocks, noticeClocks } from './notice-clocks.ts';

export type NoticeDeps = {
  db: Database;
  redis: RedisHandles;
  clock: Clock;
  directory: BotDirectory;
  floods: KnownFloods;
  statusColumns: StatusColumns;
  /** Since when (ms) this process has seen what it has not told yet. Kept from one look to the next. */
  unsure: Map<string, number>;
};

/** Conditions with their begin and end events, and the kinds of attention that show them. A kind of attention that only keeps it begins none. */
const STANDING = {
  backend: { begin: 'backend.failing', end: 'backend.recovered' },
  poller: { begin: 'poller.silent', end: 'poller.back' },
  program_silent: { begin: 'program.silent', end: 'program.back' },
  program_parked: { begin: 'program.parked', end: null },
  intake: { begin: 'intake.refused', end: 'intake.resumed' },
  flood: { begin: 'flood.began', end: 'flood.ended' },
  reach: { begin: 'platform.unreachable', end: 'platform.reached' },
  held: { begin: 'sends.held', end: 'sends.released' },
} as const satisfies Record<string, { begin: EventKind; end: EventKind | null }>;
type Standing = keyof typeof STANDING;

const OF_ATTENTION: Partial<Record<AttentionKind, { standing: Standing; begins: boolean }>> = {
  backend_open: { standing: 'backend', begins: true },
  backend_failing: { standing: 'backend', begins: false },
  program_failing: { standing: 'backend', begins: true },
  poller_silent: { standing: 'poller', begins: true },
  program_silent: { standing: 'program_silent', begins: true },
  program_parked: { standing: 'program_parked', begins: true },
  token_revoked: { standing: 'intake', begins: true },
  foreign_webhook: { standing: 'intake', begins: true },
  intake_failing: { standing: 'intake', begins: true },
  flood: { standing: 'flood', begins: true },
  platform_unreachable: { standing: 'reach', begins: true },
  sends_held: { standing: 'held', begins: true },
};
const KINDS = Object.keys(OF_ATTENTION) as AttentionKind[];
/** Why something does not stand any more: it works again, or its settings are others. */
const ENDED: Record<Standing, (bot: Bot, program: ActiveProgram | undefined) => string> = {
  backend: (bot, program) =>
    (program === undefined ? hasBackend(bot) : program.mode === 'push')
      ? 'The backend takes updates again'
      : 'There is no backend any more',
  poller: ({ long_poll_enabled, silent_after_s }) =>
    long_poll_enabled && silent_after_s > 0
      ? 'Somebody polls again, or nothing waits any more'
      : 'It is not watched any more whether somebody polls',
  program_silent: () => 'The program polls again, or nothing waits for it any more',
  program_parked: () => '',
  intake: () => 'Updates come in again',
  flood: () => 'The platform takes all calls again',
  reach: () => 'The platform answers again',
  held: () => 'Nothing is held any more: it was released or cancelled, or has expired',
};
/** The backend of a program fails, and calls do not get to the platform, for so long before it is told. */
const FAILING_MS = 10_000;
/** A shorter flood is over before anybody could read of it. */
const FLOODED_MS = 10_000;
/**
 * After a restart of the fleet, or an outage of Redis, nobody has polled for a while: neither a worker the platform, nor a program us.
 * For so long they may come back.
 */
const SETTLING_MS = 30_000;
/** Longer without a look, no worker was there, or Redis was away. */
const BREAK_MS = 30_000;

/** Compares what is wrong with the bots with what was told, and records what began and what is over. One process at a time. */
export async function noticeChanges(deps: NoticeDeps, everyMs: number, signal: AbortSignal): Promise<void> {
  if (!(await allowOnce(deps.redis, eventKeys.look, everyMs / 2))) return;
  const lookedForMs = await noteLook(deps.redis);
  const standing = await deps.db.selectFrom('standing_events').selectAll().execute();
  await noticeClocks(deps, standing.some(isOfClocks));
  const known = standing.filter((row) => !isOfClocks(row));
  // A condition that a column of some seconds ago does not have yet is not over.
  const found = await listAttention(deps, deps.directory.all(), KINDS, new Set(known.map((row) => row.bot_id)));
  const told = new Set(known.map((row) => keyOf(row.bot_id, row.program_id, row.kind)));
  const stands = new Set(found.map((one) => keyOf(one.bot.id, one.program_id ?? 0, standingOf(one))));
  forgetAllBut(deps.unsure, stands);
  for (const one of found) {
    if (signal.aborted) return;
    const key = keyOf(one.bot.id, one.program_id ?? 0, standingOf(one));
    if (!told.has(key) && begins(deps, one, { key, lookedForMs })) await begin(deps, one);
  }
  for (const row of known) {
    if (signal.aborted) return;
    if (!stands.has(keyOf(row.bot_id, row.program_id, row.kind))) await end(deps, row);
  }
}

const keyOf = (botId: number, programId: number, standing: string) => `${botId} ${programId} ${standing}`;
const standingOf = ({ kind }: AttentionOfBot): Standing => OF_ATTENTION[kind]!.standing;

/** For how long (ms) one look has followed another, whichever process looked. */
async function noteLook(redis: RedisHandles): Promise<number> {
  const { commands } = redis;
  const nowMs = await serverNowMs(redis);
  const sinceMs = await commands.getex(eventKeys.lookedSince, 'PX', BREAK_MS);
  if (sinceMs !== null) return nowMs - Number(sinceMs);
  await commands.set(eventKeys.lookedSince, nowMs, 'PX', BREAK_MS);
  return 0;
}

function forgetAllBut(unsure: NoticeDeps['unsure'], stands: ReadonlySet<string>): void {
  for (const key of unsure.keys()) if (!stands.has(key)) unsure.delete(key);
}

function begins(
  { clock, floods, unsure }: NoticeDeps,
  { bot, kind, sinceMs }: AttentionOfBot,
  { key, lookedForMs }: { key: string; lookedForMs: number },
): boolean {
  if (kind === 'intake_failing') {
    const seenAtMs = unsure.get(key) ?? clock.nowMs();
    unsure.set(key, seenAtMs);
    return clock.nowMs() - seenAtMs >= SETTLING_MS;
  }
  if (kind === 'poller_silent' || kind === 'program_silent') return lookedForMs >= SETTLING_MS;
  if (kind === 'flood') {
    const flood = floods.statusOf(bot.id);
    return flood !== null && flood.untilMs - flood.sinceMs >= FLOODED_MS;
  }
  if (kind === 'program_failing' || kind === 'platform_unreachable')
    return clock.nowMs() - (sinceMs ?? 0) >= FAILING_MS;
  return OF_ATTENTION[kind]!.begins;
}

/** A condition and its event are stored together, so that no process tells it twice. */
async function begin({ db }: NoticeDeps, one: AttentionOfBot): Promise<void> {
  const { bot, program_id, waiting, text } = one;
  const row = { bot_id: bot.id, program_id: program_id ?? 0, kind: standingOf(one) };
  const kind = one.kind === 'token_revoked' ? 'bot.unauthorized' : STANDING[row.kind].begin;
  await db.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto('standing_events')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (!inserted.numInsertedOrUpdatedRows) return;
    const words = waiting !== null && waiting > 0 ? `${text}; ${waiting} wait` : text;
    await recordEvent(transaction, { kind, bot_id: bot.id, program_id, text: words });
  });
}

/** Of a bot or a program that is gone or switched off, nothing is told: it does not work again. */
async function end(
  { db, directory }: NoticeDeps,
  row: { bot_id: number; program_id: number; kind: string },
): Promise<void> {
  const bot = directory.byId(row.bot_id);
  const program = bot?.programs.find(({ id }) => id === row.program_id);
  const isThere = bot?.disabled === false && (row.program_id === 0 || program?.enabled === true);
  const standing = row.kind as Standing;
  const kind = isThere ? STANDING[standing]?.end : null;
  await db.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .deleteFrom('standing_events')
      .where('bot_id', '=', row.bot_id)
      .where('program_id', '=', row.program_id)
      .where('kind', '=', row.kind)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n || !kind || bot === undefined) return;
    const of = program === undefined ? '' : ` (${program.name})`;
    const event: NewEvent = {
      kind,
      bot_id: row.bot_id,
      program_id: row.program_id || null,
      text: ENDED[standing](bot, program) + of,
    };
    await recordEvent(transaction, event);
  });
}
