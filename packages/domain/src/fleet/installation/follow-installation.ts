import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { readServerIdentity } from '@flotilla/database/server-identity.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import { installationStore } from './installation-store.ts';
import {
  OF_A_COPY,
  type Quarantine,
  quarantineBefore,
  quarantined,
  quarantineOf,
  type StoredInstallation,
} from './quarantine.ts';

/** The knowledge of this process about the installation that it belongs to. */
export type Installation = {
  /** null: Postgres has not answered yet. */
  id(): string | null;
  /** null: there is none. Before Postgres has answered, Redis tells. */
  quarantine(): Quarantine | null;
  /** Throws FlotillaError('quarantined') in quarantine, 'unavailable' while the installation is not known. */
  requireActive(): void;
  /** Compares the stores now, then every few seconds; until then only Redis is asked. Rejects if a store does not answer. */
  begin(): Promise<void>;
  check(): Promise<void>;
  /** Called when the installation is known, and when the quarantine begins, changes or ends. */
  onChange(listener: () => void): void;
  close(): void;
};

type Deps = { db: Database; redis: RedisHandles; log: Logger; metrics: Metrics };

const CHECK_EVERY_MS = 3_000;

/** Knows if Postgres and Redis belong together and to no other installation. Rejects only for faults of our own. */
export async function followInstallation(deps: Deps): Promise<Installation> {
  const { redis, log, metrics } = deps;
  const listeners = new Set<() => void>();
  let begun = false;
  let id: string | null = null;
  const heldByRedis = () => redis.commands.get(installationKey).catch(() => undefined);
  let quarantine = quarantineBefore(await heldByRedis());
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const askRedis = async (): Promise<void> => {
    const held = await heldByRedis();
    // The last answer of Redis counts while it is away, and a Redis that lost the id in an outage has known it.
    if (id !== null || held === undefined || (held === null && quarantine === null)) return;
    const was = quarantine;
    quarantine = quarantineBefore(held);
    if (was?.text !== quarantine?.text) tell();
  };
  const check = async (): Promise<void> => {
    if (id === null) await askRedis();
    const found = await compareStores(deps);
    const [was, wasKnown] = [quarantine, id !== null];
    ({ id, quarantine } = found);
    if (wasKnown && was?.reason === quarantine?.reason && was?.redisOfOthers === quarantine?.redisOfOthers) return;
    if (quarantine !== null) {
      log.warn({ reason: quarantine.text }, 'quarantine: nothing is polled or sent until somebody adopts this copy');
    } else if (was !== null && was.reason !== 'unknown') log.info('the quarantine is over: this installation works');
    tell();
  };
  const checkAgain = () =>
    check().catch((error: unknown) => {
      if (!isUnavailable(error) && !isRedisUnavailable(error)) {
        log.warn({ reason: String(error) }, 'it could not be checked if the stores belong together');
      }
    });
  // Before the schema is known to be there, Postgres is not asked.
  const timer = setInterval(() => (begun ? checkAgain() : id === null && askRedis()), CHECK_EVERY_MS);
  metrics.readGauge(
    {
      name: 'flotilla_quarantined',
      help: '1 while this process takes its stores for a copy of another installation: nothing is polled or sent.',
    },
    () => [{ value: quarantine === null || quarantine.reason === 'unknown' ? 0 : 1 }],
  );
  return {
    id: () => id,
    quarantine: () => quarantine,
    requireActive: () => {
      if (quarantine !== null) throw quarantined(quarantine);
    },
    begin: async () => {
      await check();
      begun = true;
    },
    check,
    onChange: (listener) => void listeners.add(listener),
    close: () => clearInterval(timer),
  };
}

async function compareStores({ db, redis }: Deps): Promise<{ id: string; quarantine: Quarantine | null }> {
  const store = installationStore(db);
  const identity = await readServerIdentity(db);
  const stored = await store.readOrBegin(identity);
  const held = await redis.commands.get(installationKey);
  const quarantine = quarantineOf(stored, identity, held);
  if (quarantine === null) {
    await tellRedis(redis, stored, held);
    if (stored.takes_redis)
      await store.noteRedisTaken(stored.id, held === OF_A_COPY || held === stored.id ? null : held);
    if (stored.timeline !== identity.timeline) await store.noteTimeline(stored.id, identity.timeline);
  } else if (held === null) await redis.commands.set(installationKey, OF_A_COPY, 'NX');
  await noteChange(db, stored, quarantine);
  return { id: stored.id, quarantine };
}

async function tellRedis(redis: RedisHandles, stored: StoredInstallation, held: string | null): Promise<void> {
  if (held === stored.id) return;
  // Two installations that find the same empty Redis: the second one sees the first one's id at its next look.
  if (held === null && !stored.takes_redis) await redis.commands.set(installationKey, stored.id, 'NX');
  else await redis.commands.set(installationKey, stored.id);
}

/** One process of all notes the change. A Redis of others may be a wrong setting of this process alone, so it notes nothing. */
async function noteChange(db: Database, stored: StoredInstallation, quarantine: Quarantine | null): Promise<void> {
  if (quarantine?.reason === 'other_redis') return;
  if ((stored.quarantined_at === null) === (quarantine === null)) return;
  await db.transaction().execute(async (transaction) => {
    if (!(await installationStore(transaction).noteQuarantine(quarantine !== null))) return;
    await recordEvent(transaction, {
      kind: quarantine === null ? 'installation.resumed' : 'installation.quarantined',
      bot_id: null,
      text: quarantine === null ? 'The installation works again' : `Nothing is polled or sent: ${quarantine.text}`,
    });
  });
}
