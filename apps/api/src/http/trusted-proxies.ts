import proxyAddress from 'proxy-addr';

/** Whether an address is that of a load balancer, whose X-Forwarded-* headers count (CIDRs of TRUSTED_PROXIES). */
export function trustedProxies(ranges: string[]): (address: string) => boolean {
  const trust = proxyAddress.compile(ranges);
  return (address) => trust(address, 0);
}
