import { parseProxyUrl, shownProxy } from '@flotilla/runtime/proxy-url.ts';

/** The URL of a proxy without its password, for people to read. */
export function maskedProxy(proxy: string): string {
  if (proxy === '' || proxy === 'direct') return proxy;
  const target = parseProxyUrl(proxy);
  if (target.login === null) return shownProxy(target);
  const user = encodeURIComponent(target.login.user);
  return shownProxy(target).replace('://', () => `://${user}:****@`);
}
