import { ATTENTION_KINDS, type AttentionKind } from '@flotilla/contract/attention.ts';
import type { BotSort, BotState } from '@flotilla/contract/bots.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Taken } from '@flotilla/runtime/refreshed.ts';
import type { Bot } from '../bots/bot.ts';
import type { Attention } from './attention.ts';
import { firstInOrder } from './first-in-order.ts';
import type { StatusColumns } from './status-columns.ts';

export type BotQuery = {
  /** A part of the name or username, or the beginning of an @username; '' for all. */
  q: string;
  state?: BotState | undefined;
  label?: string | undefined;
  /** Only bots with this in their attention. */
  attention?: AttentionKind | undefined;
  /** Undefined: by id. */
  sort?: BotSort | undefined;
};

/** A bot with the value it is sorted by. Lists sorted by id have the value 0. */
export type SortedBot = { bot: Bot; value: string | number };
/** The position of a bot in a list that is sorted so. */
export type BotCursor = { value: string | number; id: number };

/** `takenAtMs`: when the states and figures were taken by which bots were found and sorted. */
export type FoundBots = { bots: SortedBot[]; total: number; takenAtMs: number };

/** Finds bots among those that the caller sees: how many there are, and the first `count` of them behind `after`. */
export async function findBots(
  { statusColumns, clock }: { statusColumns: StatusColumns; clock: Clock },
  visible: readonly Bot[],
  query: BotQuery,
  { after, count }: { after: BotCursor | null; count: number },
): Promise<FoundBots> {
  const { label } = query;
  const named = visible.filter((bot) => isNamed(bot, query.q) && (label === undefined || bot.labels.includes(label)));
  const nowMs = clock.nowMs();
  const ofState =
    query.state === undefined ? { value: named, atMs: nowMs } : await inState(statusColumns, named, query.state);
  const found = query.attention === undefined ? ofState : await withAttention(statusColumns, ofState, query.attention);
  const compare = orderOf(query.sort);
  const valued = await withSortValues(statusColumns, found.value, query.sort);
  const rest = after === null ? valued.value : valued.value.filter((one) => compare(cursorOf(one), after) > 0);
  return {
    bots: firstInOrder(rest, (one, other) => compare(cursorOf(one), cursorOf(other)), count),
    total: found.value.length,
    takenAtMs: Math.min(found.atMs, valued.atMs ?? nowMs),
  };
}

export function cursorOf({ bot, value }: SortedBot): BotCursor {
  return { value, id: bot.id };
}

async function inState(columns: StatusColumns, bots: Bot[], wanted: BotState): Promise<Taken<Bot[]>> {
  const { value: states, atMs } = await columns.states(bots);
  return { value: bots.filter((_, at) => states[at] === wanted), atMs };
}

async function withAttention(columns: StatusColumns, bots: Taken<Bot[]>, wanted: AttentionKind): Promise<Taken<Bot[]>> {
  const { value: attention, atMs } = await columns.attention(bots.value);
  const value = bots.value.filter((_, at) => attention[at]!.some(({ kind }) => kind === wanted));
  return { value, atMs: Math.min(atMs, bots.atMs) };
}

type Valued = { value: SortedBot[]; atMs?: number };

async function withSortValues(columns: StatusColumns, bots: Bot[], sort: BotSort | undefined): Promise<Valued> {
  switch (sort) {
    case undefined:
      return { value: bots.map((bot) => ({ bot, value: 0 })) };
    case 'name':
      return { value: bots.map((bot) => ({ bot, value: bot.name })) };
    case 'pending':
      return withValues(bots, await columns.pending(bots));
    case 'last_update':
      return withValues(bots, await columns.lastUpdates(bots));
    case 'attention': {
      const { value, atMs } = await columns.attention(bots);
      return withValues(bots, { value: value.map((found, at) => urgencyOf(bots[at]!, found)), atMs });
    }
  }
}

/** The worst trouble has the largest value, a disabled bot the smallest. */
function urgencyOf({ disabled }: Bot, [worst]: readonly Attention[]): number {
  if (disabled) return 0;
  return worst === undefined ? 1 : ATTENTION_KINDS.length + 1 - ATTENTION_KINDS.indexOf(worst.kind);
}

function withValues(bots: Bot[], { value: values, atMs }: Taken<number[]>): Valued {
  return { value: bots.map((bot, at) => ({ bot, value: values[at]! })), atMs };
}

/** Names as people order them, without case, and "Bot 9" before "Bot 10". The largest figure comes first. */
function orderOf(sort: BotSort | undefined): (one: BotCursor, other: BotCursor) => number {
  const byId = (one: BotCursor, other: BotCursor) => one.id - other.id;
  if (sort === undefined) return byId;
  if (sort !== 'name') return (one, other) => Number(other.value) - Number(one.value) || byId(one, other);
  const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return (one, other) => compare(String(one.value), String(other.value)) || byId(one, other);
}

function isNamed({ name, username }: Bot, q: string): boolean {
  if (q === '') return true;
  const wanted = q.toLowerCase();
  if (wanted.startsWith('@')) return username.toLowerCase().startsWith(wanted.slice(1));
  return [name, username].some((text) => text.toLowerCase().includes(wanted));
}
