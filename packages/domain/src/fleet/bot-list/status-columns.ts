import type { BotState } from '@flotilla/contract/bots.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { refreshed, type Taken } from '@flotilla/runtime/refreshed.ts';
import type { Bot } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { type Attention, attentionFieldsOf, attentionOf, type KnownFloods } from './attention.ts';
import {
  backendStateOf,
  botState,
  isRunning,
  pendingFieldsOf,
  pendingOf,
  type ReadNumber,
  stateFieldsOf,
} from './bot-state.ts';
import { readProgramAttention } from './program-attention.ts';

/**
 * One value of the status of many bots, by which lists are filtered and sorted. For more than 200 bots, values may
 * be five seconds old, except those of bots that were added or announced a change. They are kept for the whole fleet.
 */
export type StatusColumns = {
  states(bots: readonly Bot[]): Promise<Taken<BotState[]>>;
  /** Updates that wait, as `pendingUpdateCount`. */
  pending(bots: readonly Bot[]): Promise<Taken<number[]>>;
  /** When (ms) the last update came; 0: never. */
  lastUpdates(bots: readonly Bot[]): Promise<Taken<number[]>>;
  /** The faults of each of them, the worst first. */
  attention(bots: readonly Bot[]): Promise<Taken<Attention[][]>>;
};

type Deps = {
  redis: RedisHandles;
  clock: Clock;
  directory: BotDirectory;
  floods: KnownFloods;
  /** Tells which bots changed since then; null: not known. */
  changes: { since(ms: number): ReadonlySet<number> | null };
};
type Fields = readonly string[];
type Column<Row, Value> = {
  /** A row for each bot. Awaited: somebody waits for it, so all scripts may run together. */
  read(bots: readonly Bot[], isAwaited: boolean): Promise<ReadonlyMap<number, Row>>;
  toValue(bot: Bot, nowMs: number, row: Row): Value;
};
/** The fields that the bot's value is made of. Reading other fields too would cost Redis a lookup each. */
type FieldsOf = (bot: Bot) => Fields;
type ToValue<Value> = (bot: Bot, nowMs: number, number: ReadNumber) => Value;

/** The whole fleet is read at most once a second, and every four seconds for a minute after somebody looked. */
const AGES = { freshMs: 1_000, servedMs: 5_000, wantedMs: 60_000 };
/** Up to this many bots are read anew for each call. */
const FEW = 200;
/** With more changes, the call would take too long: then the older values are shown. */
const CHANGED_AT_ONCE = 1_000;
const LAST_UPDATE = ['updateAt'];
const NOTHING = new Map<number, never>();
const NONE: ReadonlySet<number> = new Set();
/** Redis serves nobody else during a script; one of this size takes less than a millisecond. */
const BOTS_OF_A_SCRIPT = 200;

export function statusColumns(deps: Deps): StatusColumns {
  const column = <Row, Value>({ read, toValue }: Column<Row, Value>) => {
    const whole = refreshed(deps.clock, AGES, (isAwaited) => read(deps.directory.all(), isAwaited));
    return async (bots: readonly Bot[]): Promise<Taken<Value[]>> => {
      const known = bots.length > FEW ? await whole() : { value: NOTHING, atMs: deps.clock.nowMs() };
      const changed = bots.length > FEW ? changedSince(deps, known.atMs) : NONE;
      // A few bots are all read; of many, only those added or changed since.
      const fresh = await read(
        bots.filter(({ id }) => changed.has(id) || !known.value.has(id)),
        true,
      );
      const nowMs = deps.clock.nowMs();
      const value = bots.map((bot) => {
        const row = fresh.get(bot.id);
        return row !== undefined ? toValue(bot, nowMs, row) : toValue(bot, known.atMs, known.value.get(bot.id)!);
      });
      return { value, atMs: known.atMs };
    };
  };
  const figures = <Value>({ fieldsOf, toValue }: { fieldsOf: FieldsOf; toValue: ToValue<Value> }) =>
    column<ReadFigures, Value>({
      read: (bots, isAwaited) => readFigures(deps, fieldsOf, bots, isAwaited),
      toValue: (bot, nowMs, row) => toValue(bot, nowMs, (field) => numberOf(row, field)),
    });
  return {
    states: figures({
      fieldsOf: stateFieldsOf,
      toValue: (bot, nowMs, number) =>
        botState(bot, { running: isRunning(bot, nowMs, number), backendState: backendStateOf(bot, number) }),
    }),
    pending: figures({ fieldsOf: pendingFieldsOf, toValue: pendingOf }),
    lastUpdates: figures({ fieldsOf: () => LAST_UPDATE, toValue: (_bot, _nowMs, number) => number('updateAt') }),
    attention: column({
      read: async (bots, isAwaited) => {
        const [figures, programs] = await Promise.all([
          readFigures(deps, attentionFieldsOf, bots, isAwaited),
          readProgramAttention(deps, bots, isAwaited),
        ]);
        return new Map(bots.map(({ id }) => [id, { figures: figures.get(id)!, programs: programs.get(id) ?? [] }]));
      },
      toValue: (bot, nowMs, { figures: row, programs }) =>
        attentionOf(bot, nowMs, (field) => numberOf(row, field), programs, deps.floods),
    }),
  };
}

function changedSince({ changes }: Deps, ms: number): ReadonlySet<number> {
  const changed = changes.since(ms) ?? NONE;
  return changed.size > CHANGED_AT_ONCE ? NONE : changed;
}

/** The fields that were read of a bot, from index `at` on. Bots that are read together share the array. */
type ReadFigures = { fields: Fields; values: Float64Array; at: number };
type Figures = ReadonlyMap<number, ReadFigures>;

/** 0 for a field that was not read: other settings of the bot asked for others. */
function numberOf({ fields, values, at }: ReadFigures, field: string): number {
  const index = fields.indexOf(field);
  return index === -1 ? 0 : values[at + index]!;
}

async function readFigures(
  { redis }: Deps,
  fieldsOf: FieldsOf,
  bots: readonly Bot[],
  isAwaited: boolean,
): Promise<Figures> {
  const rows = new Map<number, ReadFigures>();
  const read = async ({ fields, ids }: Group): Promise<void> => {
    const values = new Float64Array(ids.length * fields.length);
    if (fields.length > 0) {
      const names = { fields: fields.join(' '), bots: ids.join(' ') };
      const text = await scripts.readStates(redis.commands, botKeys(ids[0]!), names);
      for (const [at, value] of text.split(' ').entries()) values[at] = Number(value);
    }
    for (const [at, id] of ids.entries()) rows.set(id, { fields, values, at: at * fields.length });
  };
  const groups = groupsOf(fieldsOf, bots);
  if (isAwaited) await Promise.all(groups.map(read));
  // One at a time: whoever asks Redis or this process meanwhile waits for one script only.
  else for (const group of groups) await read(group);
  return rows;
}

type Group = { fields: Fields; ids: number[] };

/** Groups bots for one script each: of one shard and the same fields, and not too many. */
function groupsOf(fieldsOf: FieldsOf, bots: readonly Bot[]): Group[] {
  const open = new Map<Fields, Group[]>();
  const all: Group[] = [];
  for (const bot of bots) {
    const fields = fieldsOf(bot);
    const ofFields = open.get(fields) ?? [];
    open.set(fields, ofFields);
    const shard = shardOf(bot.id);
    let group = ofFields[shard];
    if (group === undefined || group.ids.length === BOTS_OF_A_SCRIPT) {
      group = { fields, ids: [] };
      ofFields[shard] = group;
      all.push(group);
    }
    group.ids.push(bot.id);
  }
  return all;
}
