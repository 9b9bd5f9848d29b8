import { BROADCAST_DAYS } from '@flotilla/contract/broadcasts.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { CHAT_LIST_DAYS } from '@flotilla/contract/lists.ts';
import type { Database } from '@flotilla/database/connect.ts';
import {
  detachOldestMonth,
  lockedBriefly,
  type PartitionedTable,
  readPartitions,
} from '@flotilla/database/month-partitions.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sql } from 'kysely';
import { estimateRows } from './estimate-rows.ts';
import { journalExpiresAt, removeExpiredJournal } from './expired-journal.ts';
import { expiredMonthStore } from './expired-month-store.ts';
import { type DateCursor, removalStore } from './removal-store.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from './take-steps.ts';

/** After how many days rows are removed; 0 keeps everything. */
export interface RetentionDays {
  messages: number;
  audit: number;
  deadLetters: number;
  events: number;
  outbox: number;
}

const DAY_MS = 86_400_000;
/** For how long the hours of the activity are kept. */
export const ACTIVITY_DAYS = 90;
const CHATS_A_STEP = 500;
/**
 * From this period on (days) a row is removed with its month, when all of that has expired. Of a shorter period the month would be
 * too much, so rows go one by one.
 */
export const WHOLE_MONTHS_FROM = 60;
/** Counts of an expired month are subtracted faster than rows are deleted, which have indexes. */
const SUBTRACTED_ROWS = 5;

/** `held`: tables that keep what has expired. `removed` is told how many rows went. */
type RemovalDeps = StepDeps & {
  clock: Clock;
  held?: ReadonlySet<string>;
  removed?: (table: string, rows: number) => void;
};

type Outcome = 'done' | 'elsewhere' | 'aborted';

/**
 * Removes what is older than its retention: months that have expired as a whole,
 * else rows in small steps. Corrects the chats' counts. Returns 'done' when everything was checked.
 */
export async function removeExpired(deps: RemovalDeps, days: Partial<RetentionDays>): Promise<Outcome> {
  const before = (kept: number) => Math.floor((deps.clock.nowMs() - kept * DAY_MS) / 1000);
  const { audit = 0, messages = 0, deadLetters = 0, events = 0, outbox = 0 } = days;
  const unlessHeld = (table: string, ...works: (() => Promise<Outcome>)[]) => (deps.held?.has(table) ? [] : works);
  return inTurn(
    ...unlessHeld('activity_hours', () => removeActivity(deps, deps.clock.nowMs() - ACTIVITY_DAYS * DAY_MS)),
    ...(events > 0 ? unlessHeld('events', () => removeEvents(deps, before(events))) : []),
    ...unlessHeld('journal_pages', () => removeJournal(deps)),
    ...(outbox > 0 ? unlessHeld('outbox', () => removeOutbox(deps, before(outbox))) : []),
    ...(deadLetters > 0 ? unlessHeld('dead_letters', () => removeDeadLetters(deps, before(deadLetters))) : []),
    ...unlessHeld('broadcasts', () => removeBroadcasts(deps)),
    () => removeLists(deps),
    // Of a month that another process took out before the setting changed, the counts are still to be subtracted.
    () => subtractMonths(deps),
    ...(audit > 0
      ? unlessHeld(
          'audit_log',
          () => removeAuditMonths(deps, before(audit)),
          () => removeAudits(deps, before(audit), audit),
        )
      : []),
    ...(messages > 0
      ? unlessHeld(
          'messages',
          () => removeMessageMonths(deps, before(messages)),
          () => removeMessages(deps, before(messages), messages),
        )
      : []),
  );
}

function counted({ removed }: RemovalDeps, table: string, rows: number): number {
  if (rows > 0) removed?.(table, rows);
  return rows;
}

async function inTurn(...works: (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const work of works) {
    const outcome = await work();
    if (outcome !== 'done') return outcome;
  }
  return 'done';
}

/** Takes one month after the other out of the table and removes it, which takes as long for a large one as for a small one. */
function removeAuditMonths(deps: RemovalDeps, beforeDate: number): Promise<Outcome> {
  return detachMonths(deps, 'audit_log', beforeDate, async (transaction, { name }) => {
    await sql`drop table ${sql.table(name)}`.execute(transaction);
  });
}

async function removeMessageMonths(deps: RemovalDeps, beforeDate: number): Promise<Outcome> {
  return inTurn(
    () => detachMonths(deps, 'messages', beforeDate, (transaction, month) => expiredMonthStore(transaction).add(month)),
    () => subtractMonths(deps),
  );
}

function detachMonths(
  deps: RemovalDeps,
  table: PartitionedTable,
  beforeDate: number,
  removed: (transaction: Database, month: { name: string; untilS: number }) => Promise<void>,
): Promise<Outcome> {
  return lockedBriefly(() =>
    takeSteps(deps, async (transaction) => {
      const month = await detachOldestMonth(transaction, table, beforeDate);
      if (month === null) return 'done';
      counted(deps, table, await estimateRows(transaction, sql`select from ${sql.table(month.name)}`));
      await removed(transaction, month);
      return 'more';
    }),
  );
}

function subtractMonths(deps: StepDeps): Promise<Outcome> {
  const rows = (deps.stepRows ?? STEP_ROWS) * SUBTRACTED_ROWS;
  return takeSteps(deps, async (transaction) => {
    const months = expiredMonthStore(transaction);
    const name = await months.first();
    if (name === null) return 'done';
    if (!(await months.subtractNext(name, rows))) await months.drop(name);
    return 'more';
  });
}

function removeEvents(deps: RemovalDeps, beforeDate: number): Promise<Outcome> {
  const before = new Date(beforeDate * 1000);
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'events', await removalStore(transaction).removeEventsBefore(before, rows)) < rows ? 'done' : 'more',
  );
}

function removeJournal(deps: RemovalDeps): Promise<Outcome> {
  const before = journalExpiresAt(deps.clock.nowMs());
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'journal_pages', await removeExpiredJournal(transaction, before, rows)) < rows ? 'done' : 'more',
  );
}

function removeDeadLetters(deps: RemovalDeps, beforeDate: number): Promise<Outcome> {
  const before = new Date(beforeDate * 1000);
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'dead_letters', await removalStore(transaction).removeDeadLettersBefore(before, rows)) < rows
      ? 'done'
      : 'more',
  );
}

function removeOutbox(deps: RemovalDeps, beforeDate: number): Promise<Outcome> {
  const before = new Date(beforeDate * 1000);
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'outbox', await removalStore(transaction).removeOutboxBefore(before, rows)) < rows ? 'done' : 'more',
  );
}

function removeBroadcasts(deps: RemovalDeps): Promise<Outcome> {
  const before = new Date(deps.clock.nowMs() - BROADCAST_DAYS * DAY_MS);
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'broadcasts', await removalStore(transaction).removeBroadcastsBefore(before, rows)) < rows
      ? 'done'
      : 'more',
  );
}

function removeLists(deps: RemovalDeps): Promise<Outcome> {
  const before = new Date(deps.clock.nowMs() - CHAT_LIST_DAYS * DAY_MS);
  return takeSteps(deps, async (transaction) => {
    const store = removalStore(transaction);
    await store.endListsBefore(before);
    const { rows, lists } = await store.removeListed(deps.stepRows ?? STEP_ROWS);
    counted(deps, 'chat_list_entries', rows);
    return lists === 0 ? 'done' : 'more';
  });
}

function removeActivity(deps: RemovalDeps, beforeMs: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    counted(deps, 'activity_hours', await removalStore(transaction).removeActivityBefore(beforeMs, rows)) < rows
      ? 'done'
      : 'more',
  );
}

function removeAudits(deps: RemovalDeps, beforeDate: number, days: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) => {
    const date = await oneByOneBefore(transaction, 'audit_log', beforeDate, days);
    return counted(deps, 'audit_log', await removalStore(transaction).removeAuditsBefore(date, rows)) < rows
      ? 'done'
      : 'more';
  });
}

/** Up to which date rows are removed one by one: where months go as a whole, those that are dated before any month. */
async function oneByOneBefore(
  db: Database,
  table: PartitionedTable,
  beforeDate: number,
  days: number,
): Promise<number> {
  if (days < WHOLE_MONTHS_FROM) return beforeDate;
  const [beforeMonths] = await readPartitions(db, table);
  return Math.min(beforeMonths?.untilS ?? beforeDate, beforeDate);
}

// Chat by chat, because the index orders messages by date within a chat. Most chats need a single look.
function removeMessages(deps: RemovalDeps, expiredBefore: number, days: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  let beforeDate: number | null = null;
  const expired: ChatOfBot[] = [];
  let lastChat: ChatOfBot | null = null;
  let from: DateCursor | null = null;
  return takeSteps(deps, async (transaction) => {
    const store = removalStore(transaction);
    beforeDate ??= await oneByOneBefore(transaction, 'messages', expiredBefore, days);
    const [chat] = expired;
    if (chat === undefined) {
      if (lastChat === null && beforeDate < expiredBefore && !(await store.anyMessageBefore(beforeDate))) return 'done';
      const chats = await store.chatsAfter(lastChat, beforeDate, CHATS_A_STEP);
      lastChat = chats.at(-1) ?? null;
      expired.push(...chats.filter((found) => found.expired));
      return lastChat === null ? 'done' : 'more';
    }
    const { shown, last } = await store.removeMessagesBefore(chat, beforeDate, from, rows);
    counted(deps, 'messages', shown);
    if (shown > 0) await store.subtractCount(chat, shown);
    from = last;
    if (last === null) expired.shift();
    return 'more';
  });
}
