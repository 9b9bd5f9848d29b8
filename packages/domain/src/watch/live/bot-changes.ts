import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Floods } from '../../delivery/flood/floods.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';

/** Bots that changed at about this time; null when any bot may have changed. */
export type ChangedBots = { botIds: ReadonlySet<number> | null; atMs: number };

/** Tells when the configuration or the state of bots changed, and remembers it for clients that reconnect. */
export type BotChanges = {
  /** Calls the listener for the changes of one moment together. Returns a function that stops it. */
  onChange(listener: (changed: ChangedBots) => void): () => void;
  /** The bots that changed since then; null when this process does not know. */
  since(ms: number): ReadonlySet<number> | null;
  close(): void;
};

type Deps = { redis: RedisHandles; directory: BotDirectory; clock: Clock; floods: Pick<Floods, 'onChange'> };

const GATHER_MS = 50;
const REMEMBERED_MS = 120_000;
/** The clocks of replicas may differ this much; a change may then be told twice. */
const CLOCKS_DIFFER_MS = 2000;

export function botChanges({ redis, directory, clock, floods }: Deps): BotChanges {
  const listeners = new Set<(changed: ChangedBots) => void>();
  /** Bot → when it changed last, oldest first. */
  const changedAtMs = new Map<number, number>();
  let knownSinceMs = Number.POSITIVE_INFINITY;
  let gathered = new Set<number>();
  let missedSome = false;
  let timer: NodeJS.Timeout | null = null;

  const tell = () => {
    timer = null;
    const changed = { botIds: missedSome ? null : gathered, atMs: clock.nowMs() };
    gathered = new Set();
    missedSome = false;
    for (const listener of listeners) listener(changed);
  };
  const tellSoon = () => {
    timer ??= setTimeout(tell, GATHER_MS).unref();
  };
  const changed = (botId: number) => {
    const nowMs = clock.nowMs();
    changedAtMs.delete(botId);
    changedAtMs.set(botId, nowMs);
    for (const [id, atMs] of changedAtMs) {
      if (nowMs - atMs <= REMEMBERED_MS) break;
      changedAtMs.delete(id);
    }
    gathered.add(botId);
    tellSoon();
  };
  const subscription = redis.subscribe(channels.botState, {
    message: (payload) => changed(Number(String(payload))),
    // Messages from while the connection was away are not repeated.
    listening: () => {
      missedSome = Number.isFinite(knownSinceMs);
      knownSinceMs = clock.nowMs();
      changedAtMs.clear();
      if (missedSome) tellSoon();
    },
  });
  const stops = [directory.onChange(changed), floods.onChange(({ botId }) => changed(botId))];

  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: (ms) => {
      if (ms < Math.max(knownSinceMs, clock.nowMs() - REMEMBERED_MS)) return null;
      const fromMs = ms - CLOCKS_DIFFER_MS;
      return new Set([...changedAtMs].flatMap(([id, atMs]) => (atMs >= fromMs ? [id] : [])));
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      for (const stop of stops) stop();
      subscription.close();
    },
  };
}
