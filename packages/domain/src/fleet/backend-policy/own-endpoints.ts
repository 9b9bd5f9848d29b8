import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { listenersKey } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { type Address, isLoopback, parseAddress } from './address.ts';
import type { BackendPolicy } from './backend-policy.ts';
import { readGateways } from './gateways.ts';
import type { Endpoint } from './store-endpoints.ts';

/** Addresses that are never backends, as far as this process knows. They are refreshed every few seconds. */
export type OwnEndpoints = Pick<BackendPolicy, 'ownAt'> & {
  /** Tells every process that this one listens on these ports of the address, which may be a wildcard. */
  announce(address: string, ports: number[]): Promise<void>;
  close(): Promise<void>;
};

type Log = { warn(fields: object, message: string): void };
type Deps = { redis: RedisHandles; clock: Clock; log: Log };

const REFRESH_EVERY_MS = 5_000;
const RESOLVE_EVERY_MS = 60_000;
const FIRST_LOOK_AT_MOST_MS = 2_000;
/** Far above the difference of clocks. The endpoints of a killed process stay listed for this long. */
const FORGOTTEN_AFTER_MS = 300_000;

/** Follows the endpoints of all our processes, and of `stores`: our stores and the platform. Never rejects. */
export async function followOwnEndpoints(deps: Deps, stores: Endpoint[]): Promise<OwnEndpoints> {
  const machine = machineId();
  /** One text per endpoint. The loopback of each machine is a different one. */
  const placeOf = (address: Address, port: number) =>
    `${isLoopback(address) ? `loopback of ${machine}` : address.toNormalizedString()} ${port}`;
  let mine: string[] = [];
  let listening = new Set<string>();
  let storing = new Set<string>();
  let gateways = new Set<string>();
  let resolvedAtMs = Number.NEGATIVE_INFINITY;

  const warn = throttledLog((error: unknown, leftOut) =>
    deps.log.warn({ reason: String(error), leftOut }, 'this process and the others may not know where each listens'),
  );
  const exchange = async () => {
    const { commands } = deps.redis;
    const nowMs = deps.clock.nowMs();
    const said = mine.flatMap((place) => [String(nowMs), place]);
    if (said.length > 0) await commands.zadd(listenersKey, ...said);
    await commands.zremrangebyscore(listenersKey, '-inf', String(nowMs - FORGOTTEN_AFTER_MS));
    listening = new Set([...(await commands.zrange(listenersKey, '0', '-1')), ...mine]);
  };
  const resolve = async () => {
    if (performance.now() - resolvedAtMs < RESOLVE_EVERY_MS) return;
    resolvedAtMs = performance.now();
    const found = await Promise.all(stores.map(addressesOf));
    storing = new Set(found.flat().map(({ address, port }) => placeOf(address, port)));
  };
  const refresh = async () => {
    // If a source cannot be asked now, its last answer stays valid.
    await Promise.allSettled([
      exchange().catch(warn),
      resolve(),
      readGateways().then((found) => {
        gateways = new Set(found);
      }),
    ]);
  };
  // A name that does not resolve must not prevent the start.
  await Promise.race([refresh(), delay(FIRST_LOOK_AT_MOST_MS, undefined, { ref: false })]);
  const timer = setInterval(() => void refresh(), REFRESH_EVERY_MS);
  return {
    ownAt: (address, port) => {
      const place = placeOf(address, port);
      if (listening.has(place) || storing.has(place)) return 'endpoint';
      return gateways.has(address.toNormalizedString()) ? 'gateway' : null;
    },
    announce: async (address, ports) => {
      mine = addressesBehind(address).flatMap((one) => ports.map((port) => placeOf(one, port)));
      for (const place of mine) listening.add(place);
      await exchange().catch(warn);
    },
    close: async () => {
      clearInterval(timer);
      if (mine.length > 0) await deps.redis.commands.zrem(listenersKey, ...mine).catch(() => undefined);
    },
  };
}

async function addressesOf({ host, port, publicToo }: Endpoint): Promise<{ address: Address; port: number }[]> {
  const known = parseAddress(host);
  const found = known === null ? await lookup(host, { all: true }).catch(() => []) : [];
  const addresses = known === null ? found.flatMap(({ address }) => parseAddress(address) ?? []) : [known];
  return addresses
    .filter((address) => publicToo || address.range() !== 'unicast')
    .map((address) => ({ address, port }));
}

/** The addresses at which a server that listens on this address can be reached. */
function addressesBehind(listening: string): Address[] {
  const address = parseAddress(listening);
  if (address === null || address.range() !== 'unspecified') return address === null ? [] : [address];
  return Object.values(networkInterfaces()).flatMap((infos = []) =>
    infos.flatMap((info) => parseAddress(info.address) ?? []),
  );
}

/** An id shared by all processes with the same loopback interface: those of one machine, or of one container. */
function machineId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const namespace = readlinkSync('/proc/self/ns/net');
    return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 16);
  } catch {
    return hostname();
  }
}
