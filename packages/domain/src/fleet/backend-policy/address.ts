import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The address in one notation; an IPv4-mapped IPv6 address becomes IPv4. Null if it is not an address. */
export function parseAddress(text: string): Address | null {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return ipaddr.isValid(bare) ? unmapped(ipaddr.parse(bare)) : null;
}

function unmapped(address: Address): Address {
  const v6 = address.kind() === 'ipv6' ? (address as ipaddr.IPv6) : null;
  return v6?.isIPv4MappedAddress() ? v6.toIPv4Address() : address;
}

/** True for addresses of this machine: 127.0.0.0/8, ::1, and the unspecified address. */
export function isLoopback(address: Address): boolean {
  return ['loopback', 'unspecified'].includes(address.range());
}
