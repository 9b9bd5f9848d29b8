import ipaddr from 'ipaddr.js';

/** What counts as one address: an IPv4 address, or the /64 of IPv6 that one person has whole. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join('-') : parsed.toString();
}
