import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { decodeLiveEntry, type LiveEntry, type LiveEvents } from './live-event.ts';
import { readLive, watchBot } from './live-log.ts';
import { isAfter } from './live-position.ts';

/** Somebody who watches bots. */
export type Viewer = {
  /** New events of the bot, in order. The position is that after the last entry, which may have no event. */
  onEvents(botId: number, events: LiveEvents, position: string): void;
  /** Events of the bot may be missing; what comes next is from this position on. */
  onGap(botId: number, position: string): void;
};

/** Follows the live streams of bots: each is read once in a process, however many watch it. */
export type BotWatches = {
  /** Has the bot's live stream written until `release`. Rejects when Redis cannot be asked or lacks the bot. */
  hold(bot: Bot): Promise<HeldBot>;
  close(): void;
};

export type HeldBot = {
  /** The newest entry of the live stream when the hold began. */
  position: string;
  /** True if everything after this entry is kept. */
  keeps(entry: string): Promise<boolean>;
  /** Gives the viewer what is kept, and then what comes. Rejects when Redis cannot be read, or `signal` aborts. */
  join(viewer: Viewer, from: JoinFrom): Promise<void>;
  release(): void;
};

export type JoinFrom = {
  /** The last entry that the viewer knows. */
  after: string;
  /** Takes what was kept; the next page is read when it resolves. */
  onKept(events: LiveEvents): Promise<void>;
  signal: AbortSignal;
};

type Deps = { redis: RedisHandles; log: Logger };

type Watch = {
  readonly bot: Bot;
  readonly viewers: Set<Viewer>;
  /** The viewers, and those that catch up. */
  users: number;
  /** The entry up to which all viewers have been served. */
  position: string;
  renewedAtMs: number;
  following: boolean;
  /** There is something to read, or may be. */
  again: boolean;
};

/** Well before the watch expires, so that an outage of some seconds ends none. */
const RENEW_EVERY_MS = 4000;
const LOOK_EVERY_MS = 1000;
/** Events of one moment are read together. */
const GATHER_MS = 20;
const NEW_AT_ONCE = 100;
/** Fewer, because every client that catches up holds them. */
const KEPT_AT_ONCE = 20;

export function botWatches(deps: Deps): BotWatches {
  const { redis, log } = deps;
  const watches = new Map<number, Watch>();
  /** While a bot's first watcher waits for Redis. */
  const beginning = new Map<number, Promise<Watch>>();
  let closed = false;
  const warn = throttledLog((reason: string, leftOut) => log.warn({ reason, leftOut }, 'a live stream cannot be read'));
  const decode = (botId: number, entries: LiveEntry[]) => entries.flatMap((entry) => decoded(botId, entry, warn));

  const renew = async (watch: Watch): Promise<string> => {
    const newest = await watchBot(deps, watch.bot);
    if (newest === null) throw new FlotillaError('unavailable', 'The bot is not set up in Redis', { retryAfterS: 1 });
    watch.renewedAtMs = performance.now();
    return newest;
  };
  const readOn = async (watch: Watch): Promise<void> => {
    for (let more = true; more && watch.users > 0; ) {
      const page = await readLive(deps, watch.bot.id, watch.position, NEW_AT_ONCE);
      if (page === null) {
        watch.position = await renew(watch);
        for (const viewer of watch.viewers) viewer.onGap(watch.bot.id, watch.position);
        return;
      }
      more = page.more;
      const newest = page.entries.at(-1);
      if (newest === undefined) return;
      watch.position = newest[0];
      const events = decode(watch.bot.id, page.entries);
      for (const viewer of watch.viewers) viewer.onEvents(watch.bot.id, events, watch.position);
    }
  };
  /** Runs once at a time for each bot. After a failure the next look tries again. */
  const follow = async (watch: Watch): Promise<void> => {
    watch.again = true;
    if (watch.following) return;
    watch.following = true;
    try {
      while (watch.again && !closed && watch.users > 0) {
        watch.again = false;
        if (performance.now() - watch.renewedAtMs > RENEW_EVERY_MS) await renew(watch);
        await readOn(watch);
        await delay(GATHER_MS);
      }
    } catch (error) {
      warn(String(error));
      watch.again = true;
      // A fault of our own must not repeat at every wake.
      if (!isRedisUnavailable(error)) await delay(LOOK_EVERY_MS);
    } finally {
      watch.following = false;
    }
  };
  const begin = (bot: Bot): Promise<Watch> => {
    const known = watches.get(bot.id);
    if (known !== undefined) return Promise.resolve(known);
    const begun =
      beginning.get(bot.id) ??
      (async () => {
        const watch: Watch = {
          bot,
          viewers: new Set(),
          users: 0,
          position: '',
          renewedAtMs: 0,
          following: false,
          again: false,
        };
        watch.position = await renew(watch);
        watches.set(bot.id, watch);
        return watch;
      })().finally(() => beginning.delete(bot.id));
    beginning.set(bot.id, begun);
    return begun;
  };
  /**
   * Gives the viewer what is kept. Calls `upToDate` with the position it has reached, which may be ahead of the other viewers, at a
   * moment when they have nothing that it lacks.
   */
  const catchUp = async (
    watch: Watch,
    viewer: Viewer,
    from: JoinFrom,
    upToDate: (position: string) => void,
  ): Promise<void> => {
    const botId = watch.bot.id;
    for (let position = from.after; ; ) {
      from.signal.throwIfAborted();
      const page = await readLive(deps, botId, position, KEPT_AT_ONCE);
      if (page === null) {
        viewer.onGap(botId, watch.position);
        return upToDate(watch.position);
      }
      const newest = page.entries.at(-1)?.[0];
      if (newest !== undefined) {
        await from.onKept(decode(botId, page.entries));
        position = newest;
      }
      if (!isAfter(watch.position, position)) return upToDate(position);
    }
  };
  const lookAtAll = () => {
    for (const watch of watches.values()) {
      if (watch.users === 0) watches.delete(watch.bot.id);
      else if (watch.again || performance.now() - watch.renewedAtMs > RENEW_EVERY_MS) void follow(watch);
    }
  };

  const subscription = redis.subscribe(channels.live, {
    message: (payload) => {
      const watch = watches.get(Number(String(payload)));
      if (watch !== undefined) void follow(watch);
    },
    // Messages from while the connection was away are not repeated.
    listening: () => {
      for (const watch of watches.values()) void follow(watch);
    },
  });
  const looking = setInterval(lookAtAll, LOOK_EVERY_MS);

  return {
    hold: async (bot) => {
      const watch = await begin(bot);
      watch.users += 1;
      let joined: Viewer | null = null;
      return {
        position: watch.position,
        keeps: async (entry) => (await readLive(deps, bot.id, entry, 0)) !== null,
        join: (viewer, from) =>
          catchUp(watch, viewer, from, (position) => {
            from.signal.throwIfAborted();
            joined = position === watch.position ? viewer : behind(viewer, position);
            watch.viewers.add(joined);
          }),
        release: () => {
          watch.users -= 1;
          if (joined !== null) watch.viewers.delete(joined);
        },
      };
    },
    close: () => {
      closed = true;
      clearInterval(looking);
      subscription.close();
    },
  };
}

/** A viewer that is ahead of the others: leaves out what it already has. */
function behind(viewer: Viewer, ahead: string): Viewer {
  return {
    onEvents: (botId, events, position) => {
      const fresh = events.filter(({ id }) => isAfter(id, ahead));
      if (isAfter(position, ahead)) viewer.onEvents(botId, fresh, position);
    },
    onGap: viewer.onGap,
  };
}

/** An entry that cannot be read counts as one that was left out. */
function decoded(botId: number, entry: LiveEntry, warn: (reason: string) => void): LiveEvents {
  try {
    const event = decodeLiveEntry(botId, entry);
    return event === null ? [] : [event];
  } catch (error) {
    // A parser quotes the text that it cannot read, and this is logged.
    warn(error instanceof SyntaxError ? 'an entry is not JSON' : String(error));
    return [{ id: entry[0], name: 'omitted' }];
  }
}
