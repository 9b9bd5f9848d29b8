import type { BotState } from '@flotilla/contract/bots.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import { stateFields } from '@flotilla/redis/state-fields.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { remembered } from '@flotilla/runtime/remembered.ts';
import type { Bot } from './bot.ts';
import type { BotDirectory } from './bot-directory.ts';
import { backendStateOf, botState, isRunning, pendingOf, type ReadNumber } from './bot-status.ts';

/**
 * One value of the status of many bots, by which lists are filtered and sorted. For more than 200 bots the values may be
 * a second old, and are kept for all bots of the fleet: a few numbers for each.
 */
export type StatusColumns = {
  states(bots: readonly Bot[]): Promise<BotState[]>;
  /** Updates that wait, as `pendingUpdateCount`. */
  pending(bots: readonly Bot[]): Promise<number[]>;
  /** When (ms) the last update came; 0: never. */
  lastUpdates(bots: readonly Bot[]): Promise<number[]>;
};

type Deps = { redis: RedisHandles; clock: Clock; directory: BotDirectory };
type Column = 'state' | 'pending' | 'last_update';

/** The stored names of the fields that scripts/read-states.lua returns. */
const FIELDS: Record<Column, readonly string[]> = {
  state: ['pollOkAt', 'hookOkAt', stateFields.failingSince, stateFields.openUntil],
  pending: [
    stateFields.allowedCount,
    stateFields.pullCursorCount,
    stateFields.pushCursorCount,
    stateFields.pushPending,
    'parked',
  ],
  last_update: ['updateAt'],
};
/** So that all callers of this process together read the whole fleet at most once in this time. */
const SHARED_MS = 1_000;
/** As many bots are read for each caller. */
const FEW = 200;
/** Redis serves nobody else during a script; one of this size takes less than a millisecond. */
const BOTS_OF_A_SCRIPT = 200;

export function statusColumns(deps: Deps): StatusColumns {
  const column = <Value>(name: Column, toValue: (bot: Bot, nowMs: number, number: ReadNumber) => Value) => {
    const whole = remembered(deps.clock, SHARED_MS, () => readFields(deps, name, deps.directory.all()));
    return async (bots: readonly Bot[]): Promise<Value[]> => {
      const known = bots.length > FEW ? await whole() : new Map<number, number[]>();
      // All of a few, and of many those that were added since.
      const added = await readFields(
        deps,
        name,
        bots.filter(({ id }) => !known.has(id)),
      );
      const nowMs = deps.clock.nowMs();
      return bots.map((bot) => {
        const values = known.get(bot.id) ?? added.get(bot.id);
        return toValue(bot, nowMs, (field) => values?.[FIELDS[name].indexOf(field)] ?? 0);
      });
    };
  };
  return {
    states: column('state', (bot, nowMs, number) =>
      botState(bot, { running: isRunning(bot, nowMs, number), backendState: backendStateOf(bot, number) }),
    ),
    pending: column('pending', pendingOf),
    lastUpdates: column('last_update', (_bot, _nowMs, number) => number('updateAt')),
  };
}

async function readFields({ redis }: Deps, column: Column, bots: readonly Bot[]): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  const read = async (some: readonly Bot[]): Promise<void> => {
    const states = some.map(({ id }) => botKeys(id).state);
    const texts = (await runScript(redis.commands, 'read-states', states, [column])) as string[];
    for (const [at, bot] of some.entries()) found.set(bot.id, texts[at]!.split(' ').map(Number));
  };
  await Promise.all(scriptsOf(bots).map(read));
  return found;
}

/** Groups bots for one script each: of one shard, and not too many. */
function scriptsOf(bots: readonly Bot[]): Bot[][] {
  const open = new Map<number, Bot[]>();
  const all: Bot[][] = [];
  for (const bot of bots) {
    const shard = shardOf(bot.id);
    let group = open.get(shard);
    if (group === undefined || group.length === BOTS_OF_A_SCRIPT) {
      group = [];
      open.set(shard, group);
      all.push(group);
    }
    group.push(bot);
  }
  return all;
}
