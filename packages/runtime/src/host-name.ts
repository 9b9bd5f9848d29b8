import { isIPv6 } from 'node:net';

/**
 * The name of a host from a header or a setting: in lower case, without port and final dot. The port is ignored because
 * cookies ignore it. '' if the text is not a host.
 */
export function hostName(host: string): string {
  if (/[@/\\?#\s]/.test(host)) return '';
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`);
  return url?.hostname.replace(/\.$/, '') ?? '';
}
