import type { BotSort, BotState } from '@flotilla/contract/bots.ts';
import type { Bot } from './bot.ts';
import { firstInOrder } from './first-in-order.ts';
import type { StatusColumns } from './status-columns.ts';

export type BotQuery = {
  /** A part of the name or username, or the beginning of an @username; '' for all. */
  q: string;
  state?: BotState | undefined;
  /** Undefined: by id. */
  sort?: BotSort | undefined;
};

/** A bot with the value it is sorted by. Lists sorted by id have the value 0. */
export type PlacedBot = { bot: Bot; value: string | number };
/** The place of a bot in a list that is sorted so. */
export type BotPlace = { value: string | number; id: number };

/**
 * Finds bots among those that the caller sees: how many there are, and the first `count` of them behind `after`.
 * States and figures of a fleet may be a second old.
 */
export async function findBots(
  { statusColumns }: { statusColumns: StatusColumns },
  visible: readonly Bot[],
  query: BotQuery,
  { after, count }: { after: BotPlace | null; count: number },
): Promise<{ bots: PlacedBot[]; total: number }> {
  const named = visible.filter((bot) => isNamed(bot, query.q));
  const found = query.state === undefined ? named : await inState(statusColumns, named, query.state);
  const compare = orderOf(query.sort);
  const placed = await placeBots(statusColumns, found, query.sort);
  const rest = after === null ? placed : placed.filter((one) => compare(placeOf(one), after) > 0);
  return {
    bots: firstInOrder(rest, (one, other) => compare(placeOf(one), placeOf(other)), count),
    total: found.length,
  };
}

export function placeOf({ bot, value }: PlacedBot): BotPlace {
  return { value, id: bot.id };
}

async function inState(columns: StatusColumns, bots: Bot[], wanted: BotState): Promise<Bot[]> {
  const states = await columns.states(bots);
  return bots.filter((_, at) => states[at] === wanted);
}

async function placeBots(columns: StatusColumns, bots: Bot[], sort: BotSort | undefined): Promise<PlacedBot[]> {
  switch (sort) {
    case undefined:
      return bots.map((bot) => ({ bot, value: 0 }));
    case 'name':
      return bots.map((bot) => ({ bot, value: bot.name }));
    case 'pending':
      return withValues(bots, await columns.pending(bots));
    case 'last_update':
      return withValues(bots, await columns.lastUpdates(bots));
  }
}

function withValues(bots: Bot[], values: number[]): PlacedBot[] {
  return bots.map((bot, at) => ({ bot, value: values[at]! }));
}

/** Names as people order them, without case, and "Bot 9" before "Bot 10". The largest figure comes first. */
function orderOf(sort: BotSort | undefined): (one: BotPlace, other: BotPlace) => number {
  const byId = (one: BotPlace, other: BotPlace) => one.id - other.id;
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
