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

/** Addresses that are never backends, as far as this process knows: what it knows of others is a few seconds old. */
export type OwnEndpoints = Pick<BackendPolicy, 'ownAt'> & {
  /** Tells every process that this one listens on these ports of the address, which may be a wildcard, too. */
  announce(address: string, ports: number[]): Promise<void>;
  close(): Promise<void>;
};

type Log = { warn(fields: object, message: string): void };
type Deps = { redis: RedisHandles; clock: Clock; log: Log };

const LISTEN_EVERY_MS = 5_000;
const REPEAT_EVERY_MS = 60_000;
/** They are read when somebody asks, which happens before every connection to a backend. */
const GATEWAYS_KNOWN_FOR_MS = 5_000;
const FIRST_LOOK_AT_MOST_MS = 2_000;
/** Far above the difference of clocks. The endpoints of a killed process stay listed for this long. */
const FORGOTTEN_AFTER_MS = 300_000;

/** Follows the endpoints of all our processes, and of `stores`: our stores and the platform. Never rejects. */
export async function followOwnEndpoints(deps: Deps, stores: Endpoint[]): Promise<OwnEndpoints> {
  const { commands } = deps.redis;
  const machine = machineId();
  /** One text per endpoint. The loopback of each machine is a different one. */
  const placeOf = (address: Address, port: number) =>
    `${isLoopback(address) ? `loopback of ${machine}` : address.toNormalizedString()} ${port}`;
  let mine: string[] = [];
  let listening = new Set<string>();
  let storing = new Set<string>();
  let gateways = { addresses: new Set<string>(), readAtMs: Number.NEGATIVE_INFINITY };
  let repeatedAtMs = Number.NEGATIVE_INFINITY;

  const warn = throttledLog((error: unknown, leftOut) =>
    deps.log.warn({ reason: String(error), leftOut }, 'this process and the others may not know where each listens'),
  );
  const say = async () => {
    const nowMs = deps.clock.nowMs();
    const said = mine.flatMap((place) => [String(nowMs), place]);
    if (said.length > 0) await commands.zadd(listenersKey, ...said);
    await commands.zremrangebyscore(listenersKey, '-inf', String(nowMs - FORGOTTEN_AFTER_MS));
  };
  const listen = async () => {
    const said = await commands.zrange(listenersKey, '0', '-1');
    listening = new Set([...said, ...mine]);
    // Redis may have lost what this process said.
    if (listening.size > said.length) await say();
  };
  const resolve = async () => {
    const found = await Promise.all(stores.map(addressesOf));
    storing = new Set(found.flat().map(({ address, port }) => placeOf(address, port)));
  };
  const exchange = async () => {
    const repeats = performance.now() - repeatedAtMs >= REPEAT_EVERY_MS;
    if (repeats) repeatedAtMs = performance.now();
    // If a source cannot be asked now, its last answer stays valid.
    const exchanged = (repeats ? say().then(listen) : listen()).catch(warn);
    await Promise.all([exchanged, repeats ? resolve() : null]);
  };
  const isGateway = (address: Address): boolean => {
    if (performance.now() - gateways.readAtMs >= GATEWAYS_KNOWN_FOR_MS)
      gateways = { addresses: new Set(readGateways()), readAtMs: performance.now() };
    return gateways.addresses.has(address.toNormalizedString());
  };
  // A name that does not resolve must not prevent the start.
  await Promise.race([exchange(), delay(FIRST_LOOK_AT_MOST_MS, undefined, { ref: false })]);
  const timer = setInterval(() => void exchange(), LISTEN_EVERY_MS);
  return {
    ownAt: (address, port) => {
      const place = placeOf(address, port);
      if (listening.has(place) || storing.has(place)) return 'endpoint';
      return isGateway(address) ? 'gateway' : null;
    },
    announce: async (address, ports) => {
      const places = addressesBehind(address).flatMap((one) => ports.map((port) => placeOf(one, port)));
      mine = [...new Set([...mine, ...places])];
      for (const place of mine) listening.add(place);
      await say().catch(warn);
    },
    close: async () => {
      clearInterval(timer);
      if (mine.length > 0) await commands.zrem(listenersKey, ...mine).catch(() => undefined);
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
