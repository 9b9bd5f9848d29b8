import { isIPv6 } from 'node:net';

/**
 * The name in a host as headers and settings have it: in lower case, without its port and a dot at its end. Cookies know
 * no ports, so neither do we. '' for what is no host.
 */
export function hostName(host: string): string {
  if (/[@/\\?#\s]/.test(host)) return '';
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`);
  return url?.hostname.replace(/\.$/, '') ?? '';
}
