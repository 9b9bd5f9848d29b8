import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';

/** Keeps an upper bound of each bot's update ids in Postgres, so that new ids exceed old ones when Redis loses data. */
export type IdReserve = {
  /** Reserves ids well above this one, soon. Callers do not wait for it. */
  reserveAbove(bot: Bot, lastId: number): void;
  /** The highest reserved id; 0 when there is none, or when Postgres is unavailable. */
  reservedFor(bot: Bot): Promise<number>;
  close(): void;
};

type ReserveDeps = { db: Database; redis: RedisHandles; log: Logger };

/** How many ids are reserved ahead. Half of them may be used before more are reserved: minutes for the busiest bot. */
const AHEAD = 100_000;
/** The highest update id is 2^31 - 1. */
const RESERVED_AT_MOST = 2_146_000_000;
const GATHER_MS = 20;
const TRY_AGAIN_MS = 1000;

/** The reservation that a bot needs after this id was given out. */
export function reservationOf({ id, registration_id }: Bot, lastId: number) {
  return { id, registration_id, upTo: Math.min(lastId + AHEAD, RESERVED_AT_MOST) };
}

export function idReserveOf({ db, redis, log }: ReserveDeps): IdReserve {
  /** By bot: the newest update id, above which more are to be reserved. */
  let wanted = new Map<number, { bot: Bot; lastId: number }>();
  let asked: { ids: number[]; found: Promise<Map<number, number>> } | null = null;
  let running = false;
  let closed = false;
  const warn = throttledLog((reason: string) =>
    log.warn({ reason }, 'update ids could not be reserved; it is tried again'),
  );

  const reserve = async (batch: typeof wanted): Promise<void> => {
    const rows = [...batch.values()].map(({ bot, lastId }) => reservationOf(bot, lastId));
    for (const { upTo, ...bot } of await botStore(db).reserveUpdateIds(rows)) {
      await scripts.noteReserved(redis.commands, botKeys(bot.id), { ...registrationOf(bot), reservedId: upTo });
    }
  };
  const work = async (): Promise<void> => {
    let pauseMs = GATHER_MS;
    while (wanted.size > 0 && !closed) {
      await delay(pauseMs, undefined, { ref: false });
      const batch = wanted;
      wanted = new Map();
      try {
        await reserve(batch);
        pauseMs = GATHER_MS;
      } catch (error) {
        warn(String(error));
        wanted = new Map([...batch, ...wanted]);
        pauseMs = TRY_AGAIN_MS;
      }
    }
    running = false;
  };

  /** After a restart of Redis many bots ask at once: those within 20 ms share a query, which runs after they asked. */
  const findSoon = async (): Promise<Map<number, number>> => {
    await delay(GATHER_MS);
    const { ids } = asked ?? { ids: [] };
    asked = null;
    return botStore(db)
      .reservedUpdateIds(ids)
      .catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        warn(String(error));
        return new Map();
      });
  };

  return {
    reserveAbove: (bot, lastId) => {
      wanted.set(bot.id, { bot, lastId });
      if (running) return;
      running = true;
      void work();
    },
    reservedFor: async (bot) => {
      asked ??= { ids: [], found: findSoon() };
      const { ids, found } = asked;
      ids.push(bot.id);
      return (await found).get(bot.id) ?? 0;
    },
    close: () => {
      closed = true;
    },
  };
}
