import type { SentEvent } from './event-stream.ts';
import { LiveStream, type StreamState } from './live-stream.ts';

/** The messages between tabs of one browser. One of them, the leader, holds the stream for all. */
type TabMessage =
  | { kind: 'ask' }
  | { kind: 'want'; tab: string; topics: readonly string[] }
  | { kind: 'state'; state: StreamState; topics: readonly string[] }
  | { kind: 'position'; position: string }
  | { kind: 'event'; event: SentEvent }
  | { kind: 'begun' }
  | { kind: 'signed-out' }
  | { kind: 'signed-in' };

type Handlers = {
  event(event: SentEvent): void;
  /** The stream is open anew. */
  begun(): void;
  /** The state of the stream, or its topics, may be others now. */
  changed(): void;
  signedOut(): void;
};

/** The server refuses more. */
const MOST_TOPICS = 20;
/** Screens leave and join many topics at once. */
const GATHER_MS = 50;
const LOOK_FOR_GONE_TABS_MS = 30_000;
/** Tabs in the background are slow. */
const TABS_ANSWER_WITHIN_MS = 5_000;
/** Stands among the tabs for the leader before. */
const EARLIER = 'earlier';
const LEADER = 'flotilla-live';

/** The live stream of this browser: one connection for all tabs where the browser has Web Locks, else one for each tab. */
export class SharedLive {
  readonly #handlers: Handlers;
  readonly #tab = crypto.randomUUID?.() ?? String(Math.random());
  readonly #closed = new AbortController();
  readonly #channel: BroadcastChannel | null;
  #wanted: readonly string[] = [];
  #known = { state: 'connecting' as StreamState, topics: [] as readonly string[] };
  #position = '';
  #leading: Leading | null = null;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
    const { signal } = this.#closed;
    // Effects do not end when a tab is closed. A tab that comes back from the browser's cache wants its topics again.
    window.addEventListener('pagehide', () => this.#tellWanted([]), { signal });
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#tellWanted(this.#wanted), { signal });
    const locks = navigator.locks as LockManager | undefined;
    this.#channel = locks === undefined ? null : new BroadcastChannel(LEADER);
    if (locks === undefined) this.#lead();
    else void this.#shareBy(locks);
  }

  /** The state for somebody who wants these topics. */
  stateOf(topics: readonly string[]): StreamState {
    const { state, topics: watched } = this.#known;
    if (state !== 'live' || topics.every((topic) => watched.includes(topic))) return state;
    return watched.length < MOST_TOPICS ? 'connecting' : 'polling';
  }

  want(topics: readonly string[]): void {
    this.#wanted = topics;
    this.#tellWanted(topics);
  }

  /** Tries again at once: somebody has signed in. */
  resume(): void {
    this.#tell({ kind: 'signed-in' });
    this.#leading?.resume();
  }

  close(): void {
    this.want([]);
    this.#closed.abort();
    this.#leading?.close();
    this.#channel?.close();
  }

  async #shareBy(locks: LockManager): Promise<void> {
    this.#channel!.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#receive(data);
    const { signal } = this.#closed;
    const held = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    try {
      // Says that this tab is there; the browser lets go of it when the tab is gone.
      const present = locks.request(tabLock(this.#tab), { signal }, () => held);
      const leads = locks.request(LEADER, { signal }, () => {
        this.#lead();
        return held;
      });
      await Promise.all([present, leads]);
    } catch {
      // A browser that forbids locks leaves every tab to itself.
      if (!signal.aborted && this.#leading === null) this.#lead();
    }
  }

  #lead(): void {
    const leading = new Leading(this.#position, {
      position: (position) => this.#tell({ kind: 'position', position }),
      event: (event) => {
        this.#tell({ kind: 'event', event });
        this.#handlers.event(event);
      },
      state: (state, topics) => {
        this.#tell({ kind: 'state', state, topics });
        this.#note(state, topics);
      },
      begun: () => {
        this.#tell({ kind: 'begun' });
        this.#handlers.begun();
      },
      signedOut: () => {
        this.#tell({ kind: 'signed-out' });
        this.#handlers.signedOut();
      },
    });
    this.#leading = leading;
    leading.want(this.#tab, this.#wanted);
    this.#tell({ kind: 'ask' });
    // A stream that opened without the topics of another tab would go past their events.
    leading.want(EARLIER, this.#known.topics);
    setTimeout(() => this.#closed.signal.aborted || leading.want(EARLIER, []), TABS_ANSWER_WITHIN_MS);
    if (this.#channel !== null) void leading.forgetGoneTabs(this.#closed.signal);
  }

  #tellWanted(topics: readonly string[]): void {
    this.#tell({ kind: 'want', tab: this.#tab, topics });
    this.#leading?.want(this.#tab, topics);
  }

  #tell(told: TabMessage): void {
    if (!this.#closed.signal.aborted) this.#channel?.postMessage(told);
  }

  #receive(told: TabMessage): void {
    switch (told.kind) {
      case 'want':
        this.#leading?.want(told.tab, told.topics);
        break;
      case 'ask':
        this.#tellWanted(this.#wanted);
        break;
      case 'state':
        this.#note(told.state, told.topics);
        break;
      case 'position':
        this.#position = told.position;
        break;
      case 'event':
        this.#position = told.event.position ?? this.#position;
        this.#handlers.event(told.event);
        break;
      case 'begun':
        this.#handlers.begun();
        break;
      case 'signed-out':
        this.#handlers.signedOut();
        break;
      case 'signed-in':
        this.#leading?.resume();
    }
  }

  #note(state: StreamState, topics: readonly string[]): void {
    this.#known = { state, topics };
    this.#handlers.changed();
  }
}

type LeadingHandlers = {
  position(position: string): void;
  event(event: SentEvent): void;
  begun(): void;
  state(state: StreamState, topics: readonly string[]): void;
  signedOut(): void;
};

/** The stream of the leader, with the topics that all tabs want. */
class Leading {
  readonly #wants = new Map<string, readonly string[]>();
  readonly #stream: LiveStream;
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(position: string, handlers: LeadingHandlers) {
    this.#stream = new LiveStream(position, {
      ...handlers,
      state: (state) => handlers.state(state, this.#stream.topics),
    });
  }

  want(tab: string, topics: readonly string[]): void {
    if (topics.length === 0) this.#wants.delete(tab);
    else this.#wants.set(tab, topics);
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => this.#watch(), GATHER_MS);
  }

  resume(): void {
    this.#stream.reopen();
  }

  close(): void {
    clearTimeout(this.#gathering);
    this.#stream.close();
  }

  /** A tab that crashed does not say that it wants nothing more. */
  async forgetGoneTabs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_FOR_GONE_TABS_MS));
      const { held = [] } = await navigator.locks.query();
      const present = new Set(held.map(({ name }) => name));
      for (const tab of this.#wants.keys()) if (!present.has(tabLock(tab))) this.want(tab, []);
    }
  }

  #watch(): void {
    this.#stream.watch([...new Set([...this.#wants.values()].flat())].slice(0, MOST_TOPICS));
  }
}

function tabLock(tab: string): string {
  return `${LEADER}-tab-${tab}`;
}
