import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { type ReadPageReply, scripts } from '@flotilla/redis/script-calls.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { programOfReader } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { wantedKinds } from '../../fleet/bots/wanted-kinds.ts';
import { joinUpdates, NO_UPDATES, type PulledUpdates } from './pulled-updates.ts';

type ReadDeps = { redis: RedisHandles };

export type PageRequest = {
  /** null: the default consumer, shared by getUpdates and the REST poll. `programReaderName` names that of a program. */
  consumer: string | null;
  /** Of a named consumer: the account whose share of them it takes. */
  ownerId?: number;
  /** Who polls, for people: its program and its address. ['', nobody knows] */
  polledBy?: string;
  /** 1–100. */
  limit: number;
  timeoutMs: number;
  /**
   * Kinds to answer; null for all that the consumer gets, 'default' for the platform's default set. Kinds that are left
   * out move no cursor, but that of a program.
   */
  kinds: string[] | 'default' | null;
  /** The same for what a program took alone, perhaps when it had other kinds. */
  takenKinds?: string[] | 'default' | null;
  /** For a named consumer: it also gets the updates of chats that a person has taken over. [false] */
  seesHeld?: boolean;
  /** Applies the platform's 3 s wait for repeated empty calls with a short timeout. */
  throttle: boolean;
};

export type Page = {
  updates: PulledUpdates;
  offset: number;
  throttled: boolean;
  /** How long before it was read the first update was appended; 0 when there is none. */
  appendedAgoMs: number;
  /** changed: nothing was read, because the configuration has changed. ended: nothing more is to be read. */
  state: 'read' | 'changed' | 'ended';
};

/**
 * Reads until the answer is full or the log ends, a limited number of updates at a time so as not to block Redis. The first
 * read of a poll acknowledges what is before `offset`. Throws FlotillaError('bad_request') for a consumer above the share of its owner.
 */
export async function readPage(
  deps: ReadDeps,
  bot: Bot,
  request: PageRequest,
  offset: number,
  first: boolean,
): Promise<Page> {
  const page: Page = { updates: NO_UPDATES, offset, throttled: false, appendedAgoMs: 0, state: 'read' };
  const scan: Scan = { acknowledge: first, from: offset, answerBytes: 0, backFrom: '+', backCounted: null };
  for (;;) {
    const found = await scanLog(deps, bot, { ...request, limit: request.limit - page.updates.count }, scan);
    switch (found.outcome) {
      case 'GONE':
      case 'OFF':
        return page;
      case 'TOO_MANY':
        throw new FlotillaError(
          'bad_request',
          'You have as many named consumers of this bot as you can have: at most 16',
        );
      case 'CHANGED':
        return page.updates.count > 0 ? page : { ...page, state: 'changed' };
      case 'BACK':
        Object.assign(scan, { from: found.offset, backFrom: found.backFrom, backCounted: found.backCounted });
        continue;
    }
    if (scan.acknowledge) page.throttled = found.throttled;
    if (page.updates.count === 0) page.appendedAgoMs = found.appendedAgoMs;
    page.updates = joinUpdates([page.updates, { count: found.updates, joined: found.joined }]);
    page.offset = found.from;
    if (!found.more) return page;
    Object.assign(scan, { acknowledge: false, from: found.from, answerBytes: found.answerBytes });
  }
}

type Scan = { acknowledge: boolean; from: number; answerBytes: number; backFrom: string; backCounted: number | null };

function keysOfConsumer(botId: number, consumer: string | null): ReturnType<typeof programKeys> | null {
  const programId = programOfReader(consumer);
  return programId === null ? null : programKeys(botId, programId);
}

function scanLog(deps: ReadDeps, bot: Bot, request: PageRequest, scan: Scan): Promise<ReadPageReply> {
  const {
    consumer,
    limit,
    timeoutMs,
    throttle,
    kinds,
    takenKinds = null,
    seesHeld = false,
    ownerId,
    polledBy = '',
  } = request;
  const keys = botKeys(bot.id);
  const ofProgram = keysOfConsumer(bot.id, consumer);
  const deliveredAhead = ofProgram?.deliveredAhead ?? keys.deliveredAhead;
  return scripts.readPage(
    deps.redis.commands,
    { ...keys, deliveredAhead, program: ofProgram?.state ?? null },
    {
      ...registrationOf(bot),
      ...activityPrefixes(bot.id),
      consumer: consumer ?? '',
      owner: `${ownerId ?? ''}`,
      askedOffset: scan.from,
      limit,
      timeoutMs,
      acknowledges: scan.acknowledge,
      throttles: throttle && scan.acknowledge,
      kinds: wantedKinds(kinds),
      answerBytes: scan.answerBytes,
      backFrom: scan.backFrom,
      backCounted: scan.backCounted,
      revision: bot.revision,
      seesHeld: seesHeld && consumer !== null,
      takenKinds: wantedKinds(takenKinds),
      polledBy,
    },
  );
}
