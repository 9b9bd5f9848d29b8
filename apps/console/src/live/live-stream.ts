import { call } from '../call.ts';
import { readEventStream, type SentEvent, type StreamEnd } from './event-stream.ts';

/** live: events come as they happen. connecting: they soon will. polling: the stream cannot be had for a while. offline: the browser has no network. */
export type StreamState = 'live' | 'connecting' | 'polling' | 'offline';

type Handlers = {
  /** A position without an event. */
  position(position: string): void;
  event(event: SentEvent): void;
  state(state: StreamState): void;
  /** A connection is open. Events without a position, such as read marks, may have been missed before it. */
  begun(): void;
  /** The session has ended; the stream is not tried again before `reopen`. */
  signedOut(): void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After so many failures in a row the page says that it polls. */
const FAILURES_SHOWN = 2;

/** Keeps one stream of the given topics open, over any number of connections, and goes on where the last one ended. */
export class LiveStream {
  readonly #handlers: Handlers;
  #topics: readonly string[] = [];
  /** Topics of bots that are gone or not the account's any more; with them the server refuses the others, too. */
  readonly #refused = new Set<string>();
  #position: string;
  #state: StreamState = 'connecting';
  #retryMs = FIRST_WAIT_MS;
  #connection = new AbortController();

  constructor(position: string, handlers: Handlers) {
    this.#position = position;
    this.#handlers = handlers;
    // A connection that has lost its network ends minutes later.
    window.addEventListener('offline', this.#reopenIfWatched);
  }

  get topics(): readonly string[] {
    return this.#topics.filter((topic) => !this.#refused.has(topic));
  }

  /** Watches these topics from now on, and those that it watched before without a break. */
  watch(topics: readonly string[]): void {
    const isSame = topics.length === this.#topics.length && topics.every((topic) => this.#topics.includes(topic));
    this.#topics = topics;
    if (isSame) this.#become(this.#state);
    else this.reopen();
  }

  reopen(): void {
    this.#connection.abort();
    this.#connection = new AbortController();
    void this.#keepOpen(this.#connection.signal);
  }

  close(): void {
    window.removeEventListener('offline', this.#reopenIfWatched);
    this.#connection.abort();
  }

  readonly #reopenIfWatched = (): void => {
    if (this.topics.length > 0) this.reopen();
  };

  #become(state: StreamState): void {
    this.#state = state;
    this.#handlers.state(state);
  }

  async #keepOpen(signal: AbortSignal): Promise<void> {
    for (let failures = 0; this.topics.length > 0; ) {
      let opened = false;
      const end = await this.#read(signal, () => {
        opened = true;
      });
      if (signal.aborted) return;
      if (end.status === 401) return this.#handlers.signedOut();
      failures = opened ? 0 : failures + 1;
      const isRefused = end.status === 429 || failures >= FAILURES_SHOWN;
      this.#become(!navigator.onLine ? 'offline' : isRefused ? 'polling' : 'connecting');
      // An account that may not see a bot, also one that is gone, is answered 403.
      if (end.status === 404 || end.status === 403) await this.#findRefused(signal);
      await pause(opened ? this.#retryMs : waitAfter(failures, end), signal);
      if (signal.aborted) return;
    }
  }

  #read(signal: AbortSignal, opened: () => void): Promise<StreamEnd> {
    const handlers = {
      opened: () => {
        opened();
        this.#become('live');
        this.#handlers.begun();
      },
      position: (position: string) => {
        this.#position = position;
        this.#handlers.position(position);
      },
      event: (event: SentEvent) => {
        this.#position = event.position ?? this.#position;
        this.#handlers.event(event);
      },
      retry: (ms: number) => {
        this.#retryMs = ms;
      },
    };
    return readEventStream(`/api/live?topics=${this.topics.join()}`, this.#position, handlers, signal);
  }

  async #findRefused(signal: AbortSignal): Promise<void> {
    const bots = new Set(this.topics.flatMap((topic) => topic.split(':')[1] ?? []));
    const asked = [...bots].map(async (id) => {
      const gone = await call('showBot', { id }, signal).then(
        () => false,
        ({ status }) => status === 404 || status === 403,
      );
      if (gone) for (const topic of this.#topics) if (topic.split(':')[1] === id) this.#refused.add(topic);
    });
    await Promise.all(asked);
  }
}

/** Longer after every failure, and never at the same moment for all pages. */
function waitAfter(failures: number, { retryAfterMs }: StreamEnd): number {
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  return Math.max(retryAfterMs, waitMs * (0.75 + Math.random() / 2));
}

/** Ends early when the network comes back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done);
    function done() {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
