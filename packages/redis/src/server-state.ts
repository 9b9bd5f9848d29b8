import type { RedisHandles } from './connect.ts';

/** What concerns what we promise, over all masters. */
export type ServerState = {
  /** Every change is written to an append-only file, and the last write of it worked. */
  durable: boolean;
  /** A full Redis would throw away what we keep. */
  evicts: boolean;
  clients: number;
  usedBytes: number;
};

/** Rejects when a master does not answer. */
export async function readServerState(redis: RedisHandles): Promise<ServerState> {
  const reports = await Promise.all(redis.servers().map((server) => server.info()));
  const states = reports.map(serverStateOf);
  return {
    durable: states.every((state) => state.durable),
    evicts: states.some((state) => state.evicts),
    clients: states.reduce((sum, state) => sum + state.clients, 0),
    usedBytes: states.reduce((sum, state) => sum + state.usedBytes, 0),
  };
}

/** The text of INFO; a service that hides its persistence counts as durable, since nothing is known against it. */
export function serverStateOf(report: string): ServerState {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S*)`, 'm').exec(report)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  return {
    durable: field('aof_enabled') !== '0' && (field('aof_last_write_status') ?? 'ok') === 'ok',
    evicts: policy !== 'noeviction' && Number(field('maxmemory') ?? 0) > 0,
    clients: Number(field('connected_clients') ?? 0),
    usedBytes: Number(field('used_memory') ?? 0),
  };
}
