import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './address.ts';
import type { BackendPolicy } from './backend-policy.ts';

const LOCALHOST = new ipaddr.IPv4([127, 0, 0, 1]);
const LOOKUP_DEADLINE_MS = 2000;
const FORBIDDEN_CODE = 'EFORBIDDENADDRESS';

/** Metadata services of clouds outside the link-local range: Alibaba, Azure, Oracle, AWS, Google. */
const METADATA_ADDRESSES = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
  (address) => ipaddr.parse(address).toNormalizedString(),
);
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);
const METADATA_SUFFIXES = ['.metadata.google.internal', '.instance-data.ec2.internal', '.metadata.goog'];

/** Ranges that contain an IPv4 address, and its offset in the 16 bytes. */
const EMBEDDED_IPV4: { range: string; at: number; inverted?: boolean }[] = [
  { range: '64:ff9b::/96', at: 12 },
  { range: '2002::/16', at: 2 },
  { range: '2001::/32', at: 12, inverted: true },
  { range: '::ffff:0:0:0/96', at: 12 },
  { range: '::/96', at: 12 },
];

/** The most that the console and REST take. Longer ones only take time. */
const LONGEST_URL = 2048;

/**
 * The URL of a backend as it will be called, or null when it is malformed. It is http or https on any port, https if no
 * scheme is named (as at the platform); IPv4 shorthand such as 127.1 or 0x7f000001 is spelled out.
 */
export function parseBackendUrl(text: string): URL | null {
  if (text === '' || text.length > LONGEST_URL || /[\s\\]|\p{Cc}/u.test(text)) return null;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!/^https?:\/\/[^/]/i.test(absolute) || !URL.canParse(absolute)) return null;
  const url = new URL(absolute);
  return url.port === '0' || !isDecodable(url.username + url.password) ? null : url;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The port of a URL from `parseBackendUrl`. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/**
 * The reason why nothing may be sent to this host, or null. `host` is an address or a name as URL.hostname gives it. Of
 * a name only the text is checked; `guardedLookup` checks its addresses when connecting. No policy allows link-local or
 * metadata addresses, nor our own endpoints.
 */
export function forbiddenReason(host: string, port: number, policy: BackendPolicy): string | null {
  return forbiddenReasons(host, port, policy)();
}

/**
 * Like forbiddenReason, for a host that is checked repeatedly. The part that never changes is computed once. `called`: what the
 * reason calls an address; without it, by its digits.
 */
export function forbiddenReasons(
  host: string,
  port: number,
  policy: BackendPolicy,
  called?: string,
): () => string | null {
  const address = parseAddress(host) ?? (isLocalhost(host) ? LOCALHOST : null);
  if (address === null) {
    const lasting = forbiddenName(host);
    return () => lasting;
  }
  const subject = called ?? `IP address ${address.toString()}`;
  const lasting = forbiddenAddress(address, policy);
  if (lasting !== null) return () => `${subject} ${lasting}`;
  const inner = embeddedIpv4(address);
  return () => {
    const own = ownReason(address, port, policy) ?? (inner === null ? null : ownReason(inner, port, policy));
    return own === null ? null : `${subject} ${own}`;
  };
}

function forbiddenName(host: string): string | null {
  const name = plainName(host);
  const isMetadata = METADATA_NAMES.has(name) || METADATA_SUFFIXES.some((suffix) => name.endsWith(suffix));
  return isMetadata ? `host ${name} is a metadata service, which is never allowed` : null;
}

function isLocalhost(host: string): boolean {
  const name = plainName(host);
  return name === 'localhost' || name.endsWith('.localhost');
}

function plainName(host: string): string {
  return host.toLowerCase().replace(/(?<!\.)\.+$/, '');
}

/**
 * Like `forbiddenReason` for the host of a URL, but it also looks a name up, for at most 2 s. A name that does not
 * resolve yet is not forbidden, because it is checked when connecting. Never throws.
 */
export async function forbiddenHostReason(url: URL, policy: BackendPolicy): Promise<string | null> {
  const reason = forbiddenReason(url.hostname, portOf(url), policy);
  if (reason !== null || parseAddress(url.hostname) !== null) return reason;
  const addresses = await addressesOf(url.hostname, policy);
  return firstForbidden(url.hostname, addresses, portOf(url), policy);
}

/** Like `forbiddenReason` for a URL whose host is called at a pinned address, which `parseAddress` knows. */
export function forbiddenPinReason(url: URL, pinned: string, policy: BackendPolicy): string | null {
  return forbiddenReason(url.hostname, portOf(url), policy) ?? forbiddenReason(pinned, portOf(url), policy);
}

/**
 * A `lookup` for net.connect, tls.connect or undici's `connect: { lookup }`, for connections to one port. Connections
 * go only to checked addresses, and one forbidden address refuses the name. A literal address never reaches a lookup,
 * so callers ask `forbiddenReason` before every connection. Fails with code EFORBIDDENADDRESS.
 */
export function guardedLookup(port: number, policy: BackendPolicy): LookupFunction {
  return (hostname, options, done) => {
    const ownName = forbiddenReason(hostname, port, policy);
    if (ownName !== null) return done(forbiddenError(ownName), '', 0);
    const family =
      options.family === 4 || options.family === 'IPv4' ? 4 : options.family === 6 || options.family === 'IPv6' ? 6 : 0;
    policy.lookup(hostname, { all: true, family }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const reason = firstForbidden(hostname, addresses, port, policy);
      if (reason !== null) return done(forbiddenError(reason), '', 0);
      if (options.all === true) return done(null, addresses);
      const first = addresses[0];
      if (first === undefined) return done(notFound(hostname), '', 0);
      done(null, first.address, first.family);
    });
  };
}

/** True if a connection failed because its address is forbidden. */
export function isForbiddenError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === FORBIDDEN_CODE;
}

/** Of an address: the words behind it in a reason, as of `ownReason`. */
function forbiddenAddress(
  address: Address,
  { allowedCidrs, allowedBy }: Pick<BackendPolicy, 'allowedCidrs' | 'allowedBy'>,
): string | null {
  if (neverAllowed(address)) return 'is link-local or a metadata service, which is never allowed';
  const inner = embeddedIpv4(address);
  if (inner !== null && neverAllowed(inner))
    return 'leads to a link-local address or a metadata service, which is never allowed';
  if (allowedCidrs.some((cidr) => contains(cidr, address)) || (inner ?? address).range() === 'unicast') return null;
  return `is reserved; ${allowedBy} can allow its range`;
}

/** Given only for addresses that would be allowed otherwise, so that callers learn nothing else about our network. */
function ownReason(address: Address, port: number, policy: BackendPolicy): string | null {
  switch (policy.ownAt(address, port)) {
    case 'gateway':
      return "is the gateway of Flotilla's network, which is never a backend";
    case 'endpoint':
      return `is, with port ${port}, Flotilla's own, which is never a backend`;
    case null:
      return null;
  }
}

function neverAllowed(address: Address): boolean {
  return address.range() === 'linkLocal' || METADATA_ADDRESSES.includes(address.toNormalizedString());
}

function embeddedIpv4(address: Address): ipaddr.IPv4 | null {
  if (address.kind() === 'ipv4') return null;
  const bytes = address.toByteArray();
  const found = EMBEDDED_IPV4.find(({ range }) => contains(range, address));
  if (found === undefined || bytes.slice(0, 15).every((byte) => byte === 0)) return null;
  const octets = bytes.slice(found.at, found.at + 4);
  return new ipaddr.IPv4(found.inverted === true ? octets.map((octet) => octet ^ 0xff) : octets);
}

function contains(cidr: string, address: Address): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr.includes('/') ? cidr : `${cidr}/${isIP(cidr) === 4 ? 32 : 128}`);
  return (
    network.kind() === address.kind() && address.match([network, bits] as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])
  );
}

/** The reason names the host alone: whoever may set a URL would learn the addresses of an internal network else. */
function firstForbidden(host: string, addresses: LookupAddress[], port: number, policy: BackendPolicy): string | null {
  for (const { address } of addresses) {
    const reason = forbiddenReasons(address, port, policy, `host ${host} has an IP address that`)();
    if (reason !== null) return reason;
  }
  return null;
}

function addressesOf(host: string, { lookup }: BackendPolicy): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOKUP_DEADLINE_MS, []);
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      resolve(error === null ? addresses : []);
    });
  });
}

function forbiddenError(reason: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`forbidden address: ${reason}`), { code: FORBIDDEN_CODE });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
