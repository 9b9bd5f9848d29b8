/** Headers that belong to one connection (RFC 9110 §7.6.1); `expect` has been answered by then, `host` is the hop's. */
const REQUEST_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);
const RESPONSE_HEADERS = new Set([...REQUEST_HEADERS].filter((name) => name !== 'expect' && name !== 'host'));
/** What a Connection header must not be able to remove: the message would lose its end or its meaning. */
const NEVER_NAMED = new Set(['content-length', 'content-type', 'content-encoding']);

/** A request's raw headers, names, order and repetitions kept, without those of the hop. */
export function forwardedRequestHeaders(raw: string[]): string[] {
  return withoutHopByHop(raw, REQUEST_HEADERS);
}

/** A response's raw headers, likewise. */
export function forwardedResponseHeaders(raw: Buffer[]): string[] {
  const headers: string[] = new Array(raw.length);
  for (let i = 0; i < raw.length; i++) headers[i] = (raw[i] as Buffer).toString('latin1');
  return withoutHopByHop(headers, RESPONSE_HEADERS);
}

function withoutHopByHop(raw: string[], dropped: ReadonlySet<string>): string[] {
  const headers: string[] = [];
  let named: string[] | null = null;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const value = raw[i + 1] as string;
    const lower = name.toLowerCase();
    if (!dropped.has(lower)) headers.push(name, value);
    else if (lower === 'connection' && !isPlainConnection(value)) named = [...(named ?? []), ...namedIn(value)];
  }
  return named === null ? headers : withoutNames(headers, named);
}

function isPlainConnection(value: string): boolean {
  return value === 'keep-alive' || value === 'close' || value === 'Keep-Alive';
}

function namedIn(connection: string): string[] {
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !NEVER_NAMED.has(name));
}

function withoutNames(headers: string[], names: string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!names.includes((headers[i] as string).toLowerCase()))
      kept.push(headers[i] as string, headers[i + 1] as string);
  }
  return kept;
}
