import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { replicaKeys } from '@flotilla/redis/keys.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Installation } from '../../fleet/installation/follow-installation.ts';

/** A process of the fleet, as it describes itself. */
export type Replica = {
  /** Drawn at the start of the process. */
  id: string;
  kind: 'api' | 'worker';
  roles: string[];
  version: string;
  /** The name of its machine, container or pod. */
  host: string;
  startedAtMs: number;
  /** By how much its clock is ahead of that of Redis; negative: behind. Releases before 1.1 do not tell it. */
  clockAheadMs?: number;
  /** A digest of the Bot API servers of its settings. The release before does not tell it. */
  servers?: string;
};

/** A clock that is further from that of a store is wrong. */
const CLOCK_APART_MS = 60_000;

const OTHER_SERVERS =
  'Another process of the fleet has other Bot API servers in its settings (TELEGRAM_API_URL, TELEGRAM_UPSTREAMS)';

const EVERY_MS = 5_000;
/** A killed process is listed for this long. */
const LISTED_MS = 15_000;

/**
 * Tells the fleet every 5 s that this process runs, and takes that back on `close`. Without Redis it does
 * nothing; nobody could read it then. It tells nothing in the Redis of others, so not before the installation is known.
 */
export function announceReplica(
  deps: { redis: RedisHandles; clock: Clock; installation: Installation; log: Logger },
  process: Pick<Replica, 'kind' | 'roles' | 'version' | 'servers'>,
): { id: string; warnings(): string[]; close(): Promise<void> } {
  const { installation, redis, log } = deps;
  const { commands } = redis;
  const id = randomBytes(6).toString('hex');
  const replica: Replica = { id, ...process, host: hostname(), startedAtMs: deps.clock.nowMs() };
  let closed = false;
  let said = false;
  let others: Replica[] = [];
  const takeBack = async (): Promise<void> => {
    if (!said) return;
    await commands.del(replicaKeys.one(id)).catch(() => undefined);
    await commands.srem(replicaKeys.ids, id).catch(() => undefined);
    said = false;
  };
  const say = async (): Promise<void> => {
    if (closed || installation.id() === null) return;
    if (installation.quarantine()?.redisOfOthers === true) return takeBack();
    said = true;
    const clockAheadMs = await aheadOf(redis, deps.clock);
    await commands.set(replicaKeys.one(id), JSON.stringify({ ...replica, clockAheadMs }), 'PX', LISTED_MS);
    await commands.sadd(replicaKeys.ids, id);
    const found = withOtherServers(replica, await readReplicas({ redis }));
    for (const { kind, id: other, host } of found) {
      if (!others.some((known) => known.id === other)) log.warn({ kind, id: other, host }, OTHER_SERVERS);
    }
    others = found;
  };
  let saying: Promise<void> = Promise.resolve();
  const sayAgain = () => {
    saying = saying.then(say).catch(() => undefined);
  };
  installation.onChange(sayAgain);
  const timer = setInterval(sayAgain, EVERY_MS);
  return {
    id,
    // Strangers may read whether a process is ready: which other one it is stands in the log.
    warnings: () => (others.length > 0 ? [OTHER_SERVERS] : []),
    close: async () => {
      clearInterval(timer);
      closed = true;
      await saying;
      await takeBack();
    },
  };
}

async function aheadOf(redis: RedisHandles, clock: Clock): Promise<number> {
  const askedAtMs = clock.nowMs();
  const nowMs = await serverNowMs(redis);
  return Math.round((askedAtMs + clock.nowMs()) / 2 - nowMs);
}

/** A name that means one server here and another one there would mix the updates of its bots. */
function withOtherServers({ servers }: Replica, replicas: readonly Replica[]): Replica[] {
  return replicas.filter((other) => other.servers !== undefined && other.servers !== servers);
}

/** Those whose clock is wrong, and what to say of each. */
export function withWrongClock(replicas: readonly Replica[]): { replica: Replica; text: string }[] {
  return replicas.flatMap((replica) => {
    const { kind, id, host, clockAheadMs: aheadMs = 0 } = replica;
    if (Math.abs(aheadMs) <= CLOCK_APART_MS) return [];
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    const text = `The clock of the ${kind} ${id} on ${host} is ${Math.round(Math.abs(aheadMs) / 1000)} s ${side} that of Redis`;
    return [{ replica, text }];
  });
}

/** The processes that run now, the oldest first. Forgets those that ended without saying so. */
export async function readReplicas({ redis }: { redis: RedisHandles }): Promise<Replica[]> {
  const { commands } = redis;
  const ids = await commands.smembers(replicaKeys.ids);
  if (ids.length === 0) return [];
  const said = await commands.mget(ids.map(replicaKeys.one));
  const gone = ids.filter((_, at) => said[at] === null);
  if (gone.length > 0) await commands.srem(replicaKeys.ids, ...gone);
  return said
    .flatMap((text) => (text === null ? [] : [JSON.parse(text) as Replica]))
    .sort((one, other) => one.startedAtMs - other.startedAtMs || (one.id < other.id ? -1 : 1));
}
