import type { RedisHandles } from './connect.ts';

/** The facts about all masters on which our promise depends. */
export type ServerState = {
  /** Every change is in an append-only file before the reply, and the last write to that file worked. null: not checked. */
  durable: boolean | null;
  /** A full Redis would evict our keys. null: not checked. */
  evicts: boolean | null;
  clients: number;
  used_bytes: number;
  /** Releases of the masters, each once; empty where they are hidden. */
  versions: string[];
};

/** The parts to look at. A managed service may answer for the rest, and refuse to be asked. */
export type RedisChecks = { durability: boolean; eviction: boolean };

const EVERYTHING: RedisChecks = { durability: true, eviction: true };

type Server = ReturnType<RedisHandles['servers']>[number];

/** Rejects when a master does not answer. */
export async function readServerState(redis: Pick<RedisHandles, 'servers'>, checks = EVERYTHING): Promise<ServerState> {
  const states = await Promise.all(redis.servers().map((server) => readOne(server, checks)));
  return {
    durable: checks.durability ? states.every((state) => state.durable) : null,
    evicts: checks.eviction ? states.some((state) => state.evicts) : null,
    clients: states.reduce((sum, state) => sum + state.clients, 0),
    used_bytes: states.reduce((sum, state) => sum + state.used_bytes, 0),
    versions: [...new Set(states.flatMap((state) => state.versions))].sort(),
  };
}

async function readOne(server: Server, { durability }: RedisChecks): Promise<ServerState> {
  const [report, appendFsync] = await Promise.all([server.info(), durability ? readAppendFsync(server) : null]);
  return serverStateOf(report, appendFsync);
}

/** INFO does not show this setting. null where CONFIG is refused. */
async function readAppendFsync(server: Server): Promise<string | null> {
  const answer = await server.config('GET', 'appendfsync').catch(() => null);
  return Array.isArray(answer) ? String(answer[1] ?? 'always') : null;
}

/**
 * Reads the text of INFO. A service that hides its persistence counts as durable, since nothing is known against it.
 */
export function serverStateOf(report: string, appendFsync: string | null): ServerState {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S*)`, 'm').exec(report)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  const written = field('aof_enabled') !== '0' && (field('aof_last_write_status') ?? 'ok') === 'ok';
  return {
    durable: written && (appendFsync ?? 'always') === 'always',
    evicts: policy !== 'noeviction' && Number(field('maxmemory') ?? 0) > 0,
    clients: Number(field('connected_clients') ?? 0),
    used_bytes: Number(field('used_memory') ?? 0),
    versions: versionsIn(field),
  };
}

/** Valkey names its own release beside that of the Redis it is compatible with. */
function versionsIn(field: (name: string) => string | undefined): string[] {
  const [valkey, redis] = [field('valkey_version'), field('redis_version')];
  if (valkey !== undefined) return [`Valkey ${valkey}`];
  return redis === undefined ? [] : [`Redis ${redis}`];
}
