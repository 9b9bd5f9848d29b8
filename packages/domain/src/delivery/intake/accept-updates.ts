import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys, SEEN_BLOCK_IDS, shardOf } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import {
  type AcceptUpdatesArgs,
  type AcceptUpdatesKeys,
  type AcceptUpdatesReply,
  scripts,
} from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { inChild, type Span } from '@flotilla/runtime/tracing.ts';
import { readGroupMove } from '@flotilla/telegram/group-move.ts';
import { passesHold } from '@flotilla/telegram/passes-hold.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import type { SlicedUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { BACKLOG_LIMIT, TIGHT_BACKLOG_LIMIT } from '../../fleet/memory/memory-pressure.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import type { GroupFollower } from '../../records/moved-groups/group-follower.ts';
import { type OwnerAnswers, ownersAnswer } from '../../records/takeover/owner-answers.ts';
import { type Matched, matchUpdates } from '../filters/match-updates.ts';
import { type MatchInput, matcherInForce, matcherOf } from '../filters/update-matcher.ts';
import { readBindingStart } from '../programs/binding-start.ts';
import type { ChatBinder } from '../programs/chat-binder.ts';
import type { IdReserve } from './id-reserve.ts';

export type AcceptDeps = {
  redis: RedisHandles;
  turns: { push: TurnQueue; programs: TurnQueue; rules: TurnQueue; history: TurnQueue };
  /** Without it, only backlog limits stop intake. */
  memory?: Pick<MemoryWatch, 'pressure' | 'wrote'>;
  /** Without it, new update ids may be lower than earlier ones after Redis loses data. */
  idReserve?: IdReserve;
  /** Without it, rules and filters follow a moved group only when the history is written. */
  groupFollower?: Pick<GroupFollower, 'seeUpdates'>;
  /** Without it, no chat is taken over because the owner of a business account answers. */
  ownerAnswers?: OwnerAnswers;
  /** Without it, no chat is bound to a program. */
  chatBinder?: ChatBinder;
};

/** The polling turn that fetched the updates: its fencing token, and the offset of its next getUpdates. */
type Polling = { fencingToken: number; pollOffset: number | null };

export type Accepted =
  | { outcome: 'accepted'; appended: number; duplicates: number }
  /** The bot was deleted (`gone`) or is disabled: no update was kept. */
  | { outcome: 'gone' }
  | { outcome: 'disabled' }
  /** A newer turn owns the bot's polling, or the bot came to another server: no update was kept. */
  | { outcome: 'fenced' }
  /** The backlog, or the memory of Redis, is at its limit: no update was kept, so the platform keeps them. */
  | { outcome: 'full' };

/** Bytes that Redis needs for an update beside its text, in the log and again in the history stream. */
const BYTES_AROUND_UPDATE = 300;
const UNMATCHED: Matched = { filtersDigest: '', marksJson: '' };
/** Each repetition needs another change of the filters, or a Redis that has restarted again. */
const REPEATED_AT_MOST = 10;

/**
 * Appends updates from the platform to the bot's log: each once, in order, all or none, in one atomic step. Then it
 * wakes the turns that have work. Tell the platform "received" only after this resolves. Rejects when Redis fails; then
 * the updates may be kept or not. Readers of the updates continue the trace of `intake`.
 */
export async function acceptUpdates(
  deps: AcceptDeps,
  bot: Bot,
  updates: SlicedUpdate[],
  polling?: Polling,
  intake?: Span | null,
): Promise<Accepted> {
  if (updates.some(({ value }) => readGroupMove(readObject(value, 'message')) !== null)) {
    await deps.groupFollower?.seeUpdates(bot, updates);
  }
  const answers = updates.filter(({ value }) => ownersAnswer(value) !== null);
  if (answers.length > 0) await deps.ownerAnswers?.see(bot, await unseenAmong(deps, bot, answers));
  await bindChats(deps, bot, updates);
  if (!intake) return appendUpdates(deps, bot, updates, polling, '');
  return inChild(intake, 'accept updates', async (span) => {
    const accepted = await appendUpdates(deps, bot, updates, polling, span.traceparent);
    span.set({ 'flotilla.updates': updates.length, 'flotilla.outcome': accepted.outcome });
    return accepted;
  });
}

/** Binds the chats in which a link was opened, so that the updates are judged by it already. */
async function bindChats(deps: AcceptDeps, bot: Bot, updates: SlicedUpdate[]): Promise<void> {
  if (!deps.chatBinder?.isNeeded(bot.id)) return;
  const starts = updates.filter(({ value }) => readBindingStart(value, bot.username) !== null);
  if (starts.length > 0) await deps.chatBinder.see(bot, await unseenAmong(deps, bot, starts));
}

/** Without those that the platform sends again: a chat that was released since must not be taken over by them. */
async function unseenAmong({ redis }: AcceptDeps, bot: Bot, updates: SlicedUpdate[]): Promise<SlicedUpdate[]> {
  const keys = botKeys(bot.id);
  const looks = updates.map(({ updateId: id }): KeyCommand => {
    return ['getbit', keys.seen(Math.floor(id / SEEN_BLOCK_IDS), movesOf(bot)), id % SEEN_BLOCK_IDS];
  });
  const seen = await redis.runMany(looks);
  return updates.filter((_, at) => seen[at] !== 1);
}

async function appendUpdates(
  deps: AcceptDeps,
  bot: Bot,
  updates: SlicedUpdate[],
  polling: Polling | undefined,
  traceparent: string,
): Promise<Accepted> {
  const pressure = deps.memory?.pressure() ?? 'relaxed';
  if (pressure === 'short' || pressure === 'scarce') return { outcome: 'full' };
  const keys = botKeys(bot.id);
  const seen: string[] = [];
  const bitmapOfBlock = new Map<number, number>();
  const matched: MatchInput[] = [];
  const sent = updates.map((update) => {
    const block = Math.floor(update.updateId / SEEN_BLOCK_IDS);
    let bitmap = bitmapOfBlock.get(block);
    if (bitmap === undefined) {
      bitmap = seen.push(keys.seen(block, movesOf(bot)));
      bitmapOfBlock.set(block, bitmap);
    }
    const { kind, lane, keepMs, expiresAtMs } = readUpdateFacts(update.value);
    matched.push({ kind, value: update.value });
    const { idStart, idEnd } = byteRange(update);
    const bit = update.updateId % SEEN_BLOCK_IDS;
    const times = { keepMs, expiresAtMs };
    const isPassing = passesHold(kind, update.value);
    return {
      ...{ platformId: update.updateId, bitmap, bit, kind, lane, ...times, idStart, idEnd },
      ...{ passesHold: isPassing, raw: update.raw },
    };
  });
  deps.memory?.wrote(updates.reduce((bytes, { raw }) => bytes + 2 * (raw.length + BYTES_AROUND_UPDATE), 0));
  const reply = await append(deps, bot, matched, {
    keys: { ...keys, seen },
    args: {
      ...registrationOf(bot),
      ...activityPrefixes(bot.id),
      moves: movesOf(bot),
      fencingToken: polling?.fencingToken ?? null,
      pollOffset: polling?.pollOffset ?? null,
      quickestLimit: BACKLOG_LIMIT,
      slowestLimit: pressure === 'tight' ? TIGHT_BACKLOG_LIMIT : null,
      traceparent,
      runIds: deps.redis.runIds(),
      reservedId: null,
      ...UNMATCHED,
      updates: sent,
    },
  });
  switch (reply.outcome) {
    case 'GONE':
      return { outcome: 'gone' };
    case 'OFF':
      return { outcome: 'disabled' };
    case 'FENCED':
      return { outcome: 'fenced' };
    case 'FULL':
      return { outcome: 'full' };
  }
  const { appended, duplicates, lastId, wakePush, wakePrograms, wakeRules, wakeHistory, reserveIds } = reply;
  if (reserveIds) deps.idReserve?.reserveAbove(bot, lastId);
  // Wake the turns before the platform is told "received". If this process dies before a wake, the update waits until
  // upkeep finds the pending turn.
  await Promise.all([
    wakePush ? deps.turns.push.wake(bot.id) : null,
    wakePrograms.length > 0 ? deps.turns.programs.wakeAll(wakePrograms) : null,
    wakeRules ? deps.turns.rules.wake(bot.id) : null,
    wakeHistory ? deps.turns.history.wake(shardOf(bot.id)) : null,
  ]);
  return { outcome: 'accepted', appended, duplicates };
}

/** A release that knew no moves wrote no count into the mirror. */
const movesOf = (bot: Bot) => bot.moves ?? 0;

type Call = { keys: AcceptUpdatesKeys; args: AcceptUpdatesArgs };
type Appended = Exclude<AcceptUpdatesReply, { outcome: 'DOUBT' | 'FILTERS' }>;

/** Repeats the call when the script needs the reserved id from Postgres, or updates matched by other filters. */
async function append(deps: AcceptDeps, bot: Bot, updates: MatchInput[], { keys, args }: Call): Promise<Appended> {
  Object.assign(args, await matchUpdates(deps.redis, bot.id, matcherOf(bot), updates));
  for (let calls = 1; ; calls += 1) {
    const reply = await scripts.acceptUpdates(deps.redis.commands, keys, args);
    if (reply.outcome === 'DOUBT') {
      args.reservedId = (await deps.idReserve?.reservedFor(bot)) ?? 0;
      args.runIds = deps.redis.runIds();
    } else if (reply.outcome === 'FILTERS') {
      const other = matcherInForce(bot, { digest: reply.digest, text: reply.filters });
      Object.assign(args, await matchUpdates(deps.redis, bot.id, other, updates));
    } else {
      return reply;
    }
    if (calls > REPEATED_AT_MOST)
      throw new FlotillaError('unavailable', 'Redis or the filters of the bot keep changing; try again');
  }
}

/** Positions (1-based) of the first and the last digit of update_id in the bytes that Redis gets. */
export function byteRange(update: SlicedUpdate): { idStart: number; idEnd: number } {
  const before = Buffer.byteLength(update.raw.slice(0, update.idStart));
  return { idStart: before + 1, idEnd: before + (update.idEnd - update.idStart) };
}
