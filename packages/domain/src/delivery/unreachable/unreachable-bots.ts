import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { isOutage } from '@flotilla/telegram/call-fate.ts';
import { ABORTED, type PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';

/**
 * Which bots do not reach the platform: their last call could not be made, or something else answered. What the service sends by itself
 * waits for such a bot, then tries one call at a time, with pauses that grow.
 */
export type UnreachableBots = {
  /** How long (ms) nothing may be sent by itself; 0: it may be. */
  leftMs(botId: number): number;
  /** The same for whoever makes a call right after it. After a failure, the next try is for one caller alone. */
  begin(botId: number): number;
  /** True from a failure until the platform answers. */
  isKnown(botId: number): boolean;
  /** Learns from a call that began at this time of performance.now(). Never throws. */
  learn(bot: Bot, answer: PlatformAnswer, begunAtMs: number): void;
  /** Takes over what other processes know of the bot. Rejects without Redis. */
  adopt(bot: Bot): Promise<void>;
};

/** Times are of performance.now(). */
type Known = { failures: number; failedAtMs: number; restsUntilMs: number; triedAtMs: number };

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** If the answer to a try takes longer, another one may begin. */
const NEXT_TRY_MS = 5_000;
/** A process that is answered looks so often if another one made the bot rest. */
const READ_AGAIN_MS = 5_000;
/** Older failures say nothing about now. */
const FORGOTTEN_MS = 180_000;

type Deps = {
  redis: RedisHandles;
  log: Logger;
  /** How long the server of a bot rests, for all its bots together. */
  serverOf?: (botId: number) => { leftMs(): number; begin(): number };
};

const NO_REST = { leftMs: () => 0, begin: () => 0 };

export function unreachableBots({ redis, log, serverOf = () => NO_REST }: Deps): UnreachableBots {
  const bots = new Map<number, Known>();
  /** When the newest call began that the platform answered. */
  const answeredMs = new Map<number, number>();
  /** When this process last read or told what all know of the bot. */
  const readAtMs = new Map<number, number>();
  const lastAnsweredMs = (botId: number) => answeredMs.get(botId) ?? Number.NEGATIVE_INFINITY;
  const warn = throttledLog((reason: string, leftOut) =>
    log.warn({ reason, leftOut }, 'other processes could not be told which bots reach the platform'),
  );
  /** Another process may have failed, and whoever sends by itself rests until it hears of this answer. */
  const tellIfOthersRest = (bot: Bot) => {
    if (performance.now() - (readAtMs.get(bot.id) ?? Number.NEGATIVE_INFINITY) < READ_AGAIN_MS) return;
    void adopt(bot).catch((error: unknown) => warn(String(error)));
  };
  const tell = (bot: Bot, fields: Parameters<typeof patchBotState>[2]) =>
    void patchBotState({ redis }, bot, fields).catch((error: unknown) => warn(String(error)));
  const leftMs = (botId: number): number => {
    const ofServer = serverOf(botId).leftMs();
    const known = bots.get(botId);
    if (known === undefined) return ofServer;
    const nowMs = performance.now();
    return Math.max(ofServer, known.restsUntilMs - nowMs, known.triedAtMs + NEXT_TRY_MS - nowMs);
  };
  const fail = (bot: Bot, answer: PlatformAnswer, begunAtMs: number) => {
    const before = bots.get(bot.id);
    // It began before the failure that is known, so it is no further one.
    if (before !== undefined && begunAtMs < before.failedAtMs) return;
    const nowMs = performance.now();
    const failures = before === undefined || nowMs - before.failedAtMs > FORGOTTEN_MS ? 1 : before.failures + 1;
    const askedMs = answer.outcome === 'refused' ? (answer.retryAfterS ?? 0) * 1000 : 0;
    // Other calls may pass sooner; the refused one waits for as long as the answer says.
    const restsUntilMs = nowMs + Math.min(Math.max(restMs(failures), askedMs), LONGEST_REST_MS);
    bots.set(bot.id, { failures, failedAtMs: nowMs, restsUntilMs, triedAtMs: Number.NEGATIVE_INFINITY });
    tell(bot, {
      ...{ unreachableAt: NOW, unreachableTimes: failures, unreachableErr: reasonOf(answer) },
      ...(failures === 1 ? { unreachableSince: NOW } : {}),
    });
  };

  const adopt = async (bot: Bot): Promise<void> => {
    readAtMs.set(bot.id, performance.now());
    const { state } = botKeys(bot.id);
    const [fields, nowMs] = await Promise.all([
      redis.commands.hmget(state, 'unreachableTimes', 'unreachableAt'),
      serverNowMs(redis),
    ]);
    const [failures, failedAt] = fields.map(Number) as [number, number];
    const agoMs = nowMs - failedAt;
    const failedAtMs = performance.now() - agoMs;
    const known = bots.get(bot.id);
    if (failures === 0 || agoMs > FORGOTTEN_MS) bots.delete(bot.id);
    else if (known === undefined && lastAnsweredMs(bot.id) > failedAtMs) tell(bot, { unreachableTimes: 0 });
    else if (known === undefined || known.failures < failures) {
      const rests = { failedAtMs, restsUntilMs: failedAtMs + restMs(failures) };
      bots.set(bot.id, { failures, ...rests, triedAtMs: Number.NEGATIVE_INFINITY });
    }
  };

  return {
    leftMs,
    begin: (botId) => {
      const left = leftMs(botId) || serverOf(botId).begin();
      const known = bots.get(botId);
      if (left === 0 && known !== undefined) known.triedAtMs = performance.now();
      return left;
    },
    isKnown: (botId) => bots.has(botId),
    learn: (bot, answer, begunAtMs) => {
      if (isOutage(answer)) return fail(bot, answer, begunAtMs);
      if (answer.outcome === 'unreachable' && answer.reason === ABORTED) return;
      answeredMs.set(bot.id, Math.max(lastAnsweredMs(bot.id), begunAtMs));
      const known = bots.get(bot.id);
      if (known === undefined) return tellIfOthersRest(bot);
      if (begunAtMs < known.failedAtMs) return;
      bots.delete(bot.id);
      tell(bot, { unreachableTimes: 0 });
    },
    adopt,
  };
}

function restMs(failures: number): number {
  return Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
}

function reasonOf(answer: PlatformAnswer): string {
  switch (answer.outcome) {
    case 'ok':
      return '';
    case 'refused':
      return answer.description;
    case 'unreachable':
    case 'garbage':
      return answer.reason;
  }
}
