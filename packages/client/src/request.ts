import { FlotillaError, FlotillaUnreachable } from './errors.ts';

export type Options = {
  /** Where Flotilla answers, such as `https://bots.example.com`. */
  url: string;
  /** An API key: `flt_…`. */
  key: string;
  /** How often a call is tried again, if that cannot do it twice. [3] */
  retries?: number;
  /** After how long a try without an answer is given up (ms). Long polls take their `timeout` more. [30000] */
  timeoutMs?: number;
  fetch?: typeof fetch;
};

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Of calls that send: the same key again does it once. By default each call has a new one. */
  idempotencyKey?: string | undefined;
  /** Of calls that change or delete: the `etag` of what was read. If it was changed since, the call is refused with `precondition_failed`. */
  ifMatch?: string | undefined;
};

/** How an operation is called. `keyed`: it takes an Idempotency-Key. */
export type Route = { method: 'GET' | 'POST'; path: string; keyed: boolean };
export type Input = Readonly<Record<string, unknown>>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
const MAYBE_LATER = [429, 502, 503, 504];

/** Calls until there is an answer. Throws FlotillaError, FlotillaUnreachable, or the reason of the signal. */
export async function request(options: Options, route: Route, input: Input, call: CallOptions): Promise<Response> {
  const { retries = 3 } = options;
  const idempotencyKey = route.keyed ? (call.idempotencyKey ?? crypto.randomUUID()) : undefined;
  for (let tries = 1; ; tries += 1) {
    const answered = await send(options, route, input, { ...call, idempotencyKey }).catch(asUnreachable(call.signal));
    if (answered instanceof Response && answered.ok) return answered;
    const error = answered instanceof Response ? await readError(answered) : answered;
    const pauseMs = pauseAfter(error, tries);
    if (tries > retries || pauseMs > LONGEST_PAUSE_MS || !mayRepeat(error, route)) throw error;
    await pause(pauseMs, call.signal);
  }
}

function send(options: Options, { method, path }: Route, input: Input, call: CallOptions): Promise<Response> {
  const { timeoutMs = 30_000, fetch: by = fetch } = options;
  const headers = new Headers({ authorization: `Bearer ${options.key}` });
  if (call.idempotencyKey !== undefined) headers.set('idempotency-key', call.idempotencyKey);
  if (call.ifMatch !== undefined) headers.set('if-match', call.ifMatch);
  const url = new URL(options.url.replace(/\/+$/, '') + path);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  let body: FormData | string | null = null;
  if (method === 'GET') for (const [name, value] of given) url.searchParams.set(name, asText(value));
  else if (input.file instanceof Blob) body = asForm(given);
  else {
    body = JSON.stringify(input);
    headers.set('content-type', 'application/json');
  }
  const waits = AbortSignal.timeout(timeoutMs + (Number(input.timeout) || 0) * 1_000);
  const signal = call.signal ? AbortSignal.any([call.signal, waits]) : waits;
  return by(url, { method, headers, body, signal });
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The file is the last part, as Flotilla streams it. */
function asForm(given: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of given) if (name !== 'file') form.append(name, asText(value));
  for (const [name, value] of given) if (name === 'file') form.append(name, value as Blob);
  return form;
}

const asUnreachable = (signal: AbortSignal | undefined) => (cause: unknown) => {
  if (signal?.aborted) throw signal.reason;
  return new FlotillaUnreachable(`No answer: ${cause instanceof Error ? cause.message : cause}`, { cause });
};

async function readError(response: Response): Promise<FlotillaError> {
  const text = await response.text().catch(() => '');
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new FlotillaError(response.status, parsed(text), Number.isNaN(after) ? undefined : after);
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A call that only reads, or that has a key, may be made twice. 429 says that nothing was done. */
function mayRepeat(error: FlotillaError | FlotillaUnreachable, { method, keyed }: Route): boolean {
  if (!(error instanceof FlotillaError)) return method === 'GET' || keyed;
  return MAYBE_LATER.includes(error.status) && (error.status === 429 || method === 'GET' || keyed);
}

function pauseAfter(error: FlotillaError | FlotillaUnreachable, tries: number): number {
  if (error instanceof FlotillaError && error.retryAfterS !== undefined) return error.retryAfterS * 1_000;
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const ended = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', ended);
      done();
    }, ms);
    signal?.addEventListener('abort', ended, { once: true });
  });
}
