import { existsSync, readFileSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

const ROUTES = '/proc/net/route';
const IPV6_ROUTES = '/proc/net/ipv6_route';
/** Docker and Podman create these files in their containers. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];
const GOES_THROUGH_GATEWAY = 0x2;

type Interfaces = Record<string, NetworkInterfaceInfo[] | undefined>;

/** The gateways of this process's network namespace, as normalized texts; none if the kernel is not Linux. */
export function readGateways(): string[] {
  const isInContainer = CONTAINER_MARKS.some((path) => existsSync(path));
  const bridges = isInContainer ? bridgesOf(networkInterfaces()) : [];
  return [
    ...new Set([...gatewaysOfRoutes(tableOf(ROUTES)), ...gatewaysOfIpv6Routes(tableOf(IPV6_ROUTES)), ...bridges]),
  ];
}

function tableOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The gateways in the kernel's routing table: the third field of each line, in host byte order (proc(5)). */
export function gatewaysOfRoutes(table: string): string[] {
  return fieldsOfLines(table).flatMap(([, , gateway = '', flags = '']) => {
    if (!/^[0-9A-F]{8}$/i.test(gateway) || !goesThroughGateway(flags)) return [];
    return [new ipaddr.IPv4([...Buffer.from(gateway, 'hex').reverse()]).toNormalizedString()];
  });
}

/** The gateways in the kernel's IPv6 routing table: the next hop is the fifth field, the flags are the ninth. */
export function gatewaysOfIpv6Routes(table: string): string[] {
  return fieldsOfLines(table).flatMap((fields) => {
    const [nextHop = '', flags = ''] = [fields[4], fields[8]];
    if (!/^[0-9a-f]{32}$/i.test(nextHop) || !goesThroughGateway(flags)) return [];
    return [new ipaddr.IPv6([...Buffer.from(nextHop, 'hex')]).toNormalizedString()];
  });
}

/**
 * The first address of every network that a container is attached to: by convention the host's address there. The table
 * of routes has at most one of them, and none for an internal network.
 */
export function bridgesOf(interfaces: Interfaces): string[] {
  const attached = Object.values(interfaces).flatMap((infos = []) => infos.filter(({ internal }) => !internal));
  const own = new Set(attached.map(({ address }) => normalized(address)));
  return attached
    .filter(({ cidr }) => cidr !== null)
    .map(({ cidr }) => firstAddress(cidr!))
    .filter((address) => !own.has(address));
}

function firstAddress(cidr: string): string {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const first = bytes.map((byte, at) => byte & (0xff << Math.max(0, Math.min(8, 8 * (at + 1) - bits))) & 0xff);
  first[first.length - 1]! |= 1;
  return ipaddr.fromByteArray(first).toNormalizedString();
}

function normalized(address: string): string {
  return ipaddr.parse(address).toNormalizedString();
}

function fieldsOfLines(table: string): string[][] {
  return table.split('\n').map((line) => line.trim().split(/\s+/));
}

function goesThroughGateway(flags: string): boolean {
  return (Number.parseInt(flags, 16) & GOES_THROUGH_GATEWAY) !== 0;
}
