import type { Api } from './api.ts';
import { FlotillaError, FlotillaUnreachable } from './errors.ts';
import { type LiveEvent, readEvents } from './live-events.ts';
import { type CallOptions, type Input, type Options, pause, type Route, request } from './request.ts';
import { routes } from './routes.ts';

export type { Api, CallOptions, LiveEvent, Options };
export { FlotillaError, FlotillaUnreachable };

type Name = keyof Api & string;
type Row<Of extends Name> = Api[Of]['answer'] extends readonly (infer One)[] ? One : never;
/** The operations that answer a list. */
type ListName = { [Of in Name]: Api[Of]['answer'] extends readonly unknown[] ? Of : never }[Name];

const RECONNECT_MS = 1_000;

/** Calls a Flotilla. It keeps no connection and needs no end. */
export function createClient(options: Options) {
  /** The answer as it comes: for downloads and exports. Throws as `call` does. */
  const download = (name: Name, input: Input = {}, call: CallOptions = {}): Promise<Response> =>
    request(options, routeOf(name), input, call);

  /**
   * Calls an operation of the API document by its name. Reads, and sends with their idempotency key, are tried again. Throws
   * FlotillaError when it is refused, FlotillaUnreachable when no answer comes.
   */
  async function call<Of extends Name>(
    name: Of,
    input: Api[Of]['input'],
    given: CallOptions = {},
  ): Promise<Api[Of]['answer']> {
    return (await read(name, input, given)).answer;
  }

  /** The same with the ETag of the answer, which `ifMatch` of a change takes. */
  async function read<Of extends Name>(
    name: Of,
    input: Api[Of]['input'],
    given: CallOptions = {},
  ): Promise<{ answer: Api[Of]['answer']; etag: string | undefined }> {
    const response = await download(name, input as Input, given);
    return { answer: (await response.json()) as Api[Of]['answer'], etag: response.headers.get('etag') ?? undefined };
  }

  /** All rows of a list, page by page, as they are wanted. `limit` is the size of a page. */
  async function* each<Of extends ListName>(
    name: Of,
    input: Api[Of]['input'],
    given: CallOptions = {},
  ): AsyncGenerator<Row<Of>> {
    for (let before: string | undefined; ; ) {
      const page: Input = before === undefined ? (input as Input) : { ...(input as Input), before, offset: undefined };
      const response = await download(name, page, given);
      yield* (await response.json()) as Row<Of>[];
      const link = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (link === undefined) return;
      before = new URL(link, options.url).searchParams.get('before') ?? undefined;
      if (before === undefined) return;
    }
  }

  /** The events of these topics, such as `bot:5`. A connection that ends is made again, where it was. Ends by the signal. */
  async function* live(topics: readonly string[], { signal }: CallOptions = {}): AsyncGenerator<LiveEvent> {
    let after = '';
    while (signal?.aborted !== true) {
      try {
        const { body } = await openStream(options, topics, after, signal);
        if (body !== null) {
          for await (const event of readEvents(body)) {
            after = event.id || after;
            yield event;
          }
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof FlotillaError && error.status < 500 && error.status !== 429) throw error;
      }
      await pause(RECONNECT_MS, signal).catch(() => undefined);
    }
  }

  return { call, read, each, download, live };
}

/** A stream has no end, so only its beginning has a time limit; Flotilla writes every few seconds. */
async function openStream(
  { retries: _, timeoutMs: _ms, ...options }: Options,
  topics: readonly string[],
  after: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const by = options.fetch ?? fetch;
  const withoutLimit: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (after !== '') headers.set('last-event-id', after);
    return by(input, { ...init, headers, signal: signal ?? null });
  };
  return request({ ...options, fetch: withoutLimit, retries: 0 }, routeOf('watchLive'), { topics }, { signal });
}

function routeOf(name: Name): Route {
  const [how = '', path = ''] = (routes[name] ?? '').split(' ');
  if (path === '') throw new TypeError(`Flotilla has no operation ${name}`);
  return { method: how.startsWith('GET') ? 'GET' : 'POST', path, keyed: how.endsWith('+') };
}
