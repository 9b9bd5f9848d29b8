/** The URL of a proxy without its password, for people to read. */
export function maskedProxy(proxy: string): string {
  if (!URL.canParse(proxy)) return proxy;
  const url = new URL(proxy);
  if (url.password === '') return proxy;
  return proxy.replace(/^([^:]+:\/\/[^:@]*):[^@]*@/, '$1:****@');
}
