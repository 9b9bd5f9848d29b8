import type { BotResource } from '@flotilla/contract/bots.ts';
import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import type { RouteDecision } from '@flotilla/contract/route-decisions.ts';
import { createContext, use, useEffect, useRef, useSyncExternalStore } from 'react';
import type { SentEvent } from './live/event-stream.ts';
import type { StreamState } from './live/live-stream.ts';
import { SharedLive } from './live/shared-live.ts';

export type { StreamState } from './live/live-stream.ts';

type OfBot = { bot_id: number; chat_id?: number; business_connection_id?: string | undefined };
/** Somebody of the team did it; without an account, a rule or the owner of a business account. */
type InChat = OfBot & { chat_id: number; account_id?: number; account?: string };
/** An event of `GET /api/live`. */
export type LiveEvent =
  | { name: 'update'; data: OfBot & { update_id: number; kind: string; update: Record<string, unknown> } }
  | { name: 'call'; data: OfBot & { method: string; result: unknown; program_id?: number; program?: string } }
  | { name: 'attempt'; data: OfBot & { update_id: number; status: number; duration_ms: number; error?: string } }
  | { name: 'route'; data: OfBot & RouteDecision }
  | { name: 'broadcast'; data: Pick<BroadcastResource, 'bot_id' | 'id' | 'state' | 'counts'> }
  | { name: 'bot'; data: BotResource }
  | { name: 'fleet'; data: FleetResource }
  | { name: 'read'; data: Required<Pick<OfBot, 'bot_id' | 'chat_id'>> & OfBot & { read_message_id: number } }
  | { name: 'chat'; data: InChat & { action: string } }
  | { name: 'note'; data: InChat & { note_id: number; change: string; mentions: number[] } }
  | { name: 'presence'; data: InChat & { doing: 'viewing' | 'typing' | 'left' } }
  | { name: 'skipped'; data: { count: number } }
  | { name: 'gap'; data: Record<string, never> };

/**
 * Watches topics of `GET /api/live` while the component is shown. A browser watches at most 20 of all its tabs. After
 * `skipped` and `gap` something is missing; the queries are asked again by the shell, and a list of events says so.
 * The state says whether events come at once; queries keep asking every 10 s in any case. `begun`: the stream is open
 * anew, and nothing repeats the read marks that came before.
 */
export function useLive(
  topics: readonly string[],
  handle: (event: LiveEvent) => void,
  begun: () => void = () => {},
): StreamState {
  const live = use(LiveContext)!;
  const latest = useRef({ handle, begun });
  latest.current = { handle, begun };
  const wanted = topics.join();
  useEffect(() => {
    if (wanted === '') return;
    return live.watch({
      topics: wanted.split(','),
      handle: (event) => latest.current.handle(event),
      begun: () => latest.current.begun(),
    });
  }, [live, wanted]);
  return useSyncExternalStore(live.onChange, () => live.stateOf(topics));
}

/** So many events are kept for parts of the page that begin to watch what is watched already. */
const MOST_RECENT = 100;

type Watcher = { topics: readonly string[]; handle: (event: LiveEvent) => void; begun: () => void };

/** Brings the events of the browser's stream to those parts of the page that want them. */
export class Live {
  readonly #watchers = new Set<Watcher>();
  readonly #listeners = new Set<() => void>();
  readonly #signedOut: () => void;
  readonly #recent: { atMs: number; event: LiveEvent }[] = [];
  /** Topic → since when its events come. */
  readonly #openSinceMs = new Map<string, number>();
  #shared: SharedLive | null = null;

  constructor(signedOut: () => void) {
    this.#signedOut = signedOut;
  }

  start(): void {
    this.#shared = new SharedLive({
      event: (event) => this.#take(event),
      begun: () => {
        for (const { begun } of [...this.#watchers]) begun();
      },
      changed: () => this.#changed(),
      signedOut: this.#signedOut,
    });
    this.#want();
  }

  stop(): void {
    this.#shared?.close();
    this.#shared = null;
  }

  resume(): void {
    this.#shared?.resume();
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    this.#want();
    return () => {
      this.#watchers.delete(watcher);
      this.#want();
    };
  }

  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  stateOf(topics: readonly string[]): StreamState {
    return this.#shared?.stateOf(this.#asked(topics)) ?? 'connecting';
  }

  /** The events of a topic since then; null if nobody has watched it for so long, or too many came. */
  eventsOf(topic: string, sinceMs: number): LiveEvent[] | null {
    const [asked = topic] = this.#asked([topic]);
    const openSinceMs = this.#openSinceMs.get(asked) ?? Number.POSITIVE_INFINITY;
    const [oldest] = this.#recent;
    const isCut = this.#recent.length === MOST_RECENT && oldest !== undefined && oldest.atMs > sinceMs;
    if (openSinceMs > sinceMs || isCut) return null;
    return this.#recent.flatMap(({ atMs, event }) => (atMs >= sinceMs && isOfTopic(event, topic) ? [event] : []));
  }

  #wanted(): string[] {
    return [...new Set([...this.#watchers].flatMap(({ topics }) => topics))];
  }

  /** The topics of the stream: that of a bot has all its chats. */
  #asked(topics: readonly string[]): string[] {
    const bots = new Set(this.#wanted().filter((topic) => topic.startsWith('bot:')));
    const asked = topics.map((topic) => {
      const [kind, botId] = topic.split(':');
      const ofBot = `bot:${botId}`;
      return kind === 'chat' && bots.has(ofBot) ? ofBot : topic;
    });
    return [...new Set(asked)];
  }

  #want(): void {
    this.#shared?.want(this.#asked(this.#wanted()));
  }

  #changed(): void {
    for (const topic of this.#asked(this.#wanted())) {
      if (this.#shared?.stateOf([topic]) !== 'live') this.#openSinceMs.delete(topic);
      else if (!this.#openSinceMs.has(topic)) this.#openSinceMs.set(topic, Date.now());
    }
    for (const listener of this.#listeners) listener();
  }

  #take({ name, data }: SentEvent): void {
    const event = { name, data: JSON.parse(data) } as LiveEvent;
    this.#recent.push({ atMs: Date.now(), event });
    if (this.#recent.length > MOST_RECENT) this.#recent.shift();
    const those = [...this.#watchers].filter(({ topics }) => topics.some((topic) => isOfTopic(event, topic)));
    for (const { handle } of those) handle(event);
  }
}

export const LiveContext = createContext<Live | null>(null);

function isOfTopic(event: LiveEvent, topic: string): boolean {
  switch (event.name) {
    case 'update':
    case 'call':
    case 'route':
    case 'read':
      return topic === `bot:${event.data.bot_id}` || topic === `chat:${event.data.bot_id}:${event.data.chat_id}`;
    case 'chat':
    case 'note':
    case 'presence':
      return topic === 'desk';
    case 'broadcast':
      return topic === `bot:${event.data.bot_id}`;
    case 'attempt':
      return topic === `attempts:${event.data.bot_id}`;
    case 'bot':
      return topic === 'fleet' || topic === `bot:${event.data.id}`;
    case 'fleet':
      return topic === 'fleet';
    // Nobody knows whose events are missing.
    case 'skipped':
    case 'gap':
      return true;
    default:
      return false;
  }
}
