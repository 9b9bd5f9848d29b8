import { type FloodedCall, WHOLE_BOT } from './flooded-call.ts';

/** The platform takes no such calls until it is over. Times in ms; `monotonic` ones are of performance.now(). */
export type Flood = FloodedCall & {
  /** Of its last 429; null while Redis does not know of that. */
  number: number | null;
  /** Monotonic: when it began and is over, and when this process last heard of a 429. */
  beganAtMs: number;
  endsAtMs: number;
  heardAtMs: number;
  /** For people, of this process' clock. */
  sinceMs: number;
  untilMs: number;
};

/** A flood that began, that lasts longer, or that is over (`untilMs` is null then). */
export type FloodChange = FloodedCall & { untilMs: number | null };

/** The floods of one bot, by family and place. */
export type FloodsOfBot = ReadonlyMap<string, Flood>;

/** The floods that this process knows. */
export type FloodMemory = {
  /** Undefined for nearly every bot, at the cost of one look into a map. */
  ofBot(botId: number): FloodsOfBot | undefined;
  all(): Flood[];
  count(): number;
  put(flood: Flood): void;
  /** Forgets a flood, and tells so. */
  end(call: FloodedCall): void;
  onChange(listener: (change: FloodChange) => void): () => void;
  close(): void;
};

/** More floods at once than the bots of a large fleet have chats that are flooded; those that end first are forgotten. */
export const FLOODS_AT_MOST = 10_000;
/** Forgotten at once, so that not each new one has to look for the one that ends first. */
const FORGOTTEN_AT_ONCE = 1_000;
/** Longer timers overflow. */
const LONGEST_TIMER_MS = 3_600_000;

export function floodMemory(): FloodMemory {
  const bots = new Map<number, Map<string, Flood>>();
  const listeners = new Set<(change: FloodChange) => void>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  let timerAtMs = Number.POSITIVE_INFINITY;

  const all = () => [...bots.values()].flatMap((ofBot) => [...ofBot.values()]);
  const tell = (change: FloodChange) => {
    for (const listener of listeners) listener(change);
  };
  const end = (call: FloodedCall) => {
    const ofBot = bots.get(call.botId);
    if (ofBot?.delete(keyOf(call)) !== true) return;
    count -= 1;
    if (ofBot.size === 0) bots.delete(call.botId);
    tell({ botId: call.botId, family: call.family, place: call.place, untilMs: null });
  };
  const endThoseOver = () => {
    const nowMs = performance.now();
    timer = null;
    timerAtMs = Number.POSITIVE_INFINITY;
    const left = all();
    for (const flood of left) if (flood.endsAtMs <= nowMs) end(flood);
    if (count > 0) lookAt(Math.min(...left.map(({ endsAtMs }) => endsAtMs).filter((atMs) => atMs > nowMs)));
  };
  const lookAt = (atMs: number) => {
    if (atMs >= timerAtMs) return;
    if (timer !== null) clearTimeout(timer);
    timerAtMs = atMs;
    const waitMs = Math.ceil(atMs - performance.now());
    timer = setTimeout(endThoseOver, Math.min(Math.max(waitMs, 1), LONGEST_TIMER_MS)).unref();
  };

  return {
    ofBot: (botId) => bots.get(botId),
    all,
    count: () => count,
    put: (flood) => {
      const ofBot = bots.get(flood.botId) ?? new Map<string, Flood>();
      const before = ofBot.get(keyOf(flood));
      if (before === undefined) count += 1;
      bots.set(flood.botId, ofBot.set(keyOf(flood), flood));
      lookAt(flood.endsAtMs);
      if (before?.untilMs !== flood.untilMs) tell(changeOf(flood));
      if (count <= FLOODS_AT_MOST) return;
      const soonest = all().toSorted((one, other) => one.endsAtMs - other.endsAtMs);
      for (const one of soonest.slice(0, FORGOTTEN_AT_ONCE)) end(one);
    },
    end,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The flood that holds a call; undefined if none does. Calls to a chat are also held by a flood of the whole bot. */
export function floodHolding(floods: FloodsOfBot | undefined, call: FloodedCall): Flood | undefined {
  if (floods === undefined) return undefined;
  const [ofPlace, ofBot] = [floods.get(keyOf(call)), floods.get(keyOf({ ...call, place: WHOLE_BOT }))];
  const longest = (ofPlace?.endsAtMs ?? 0) >= (ofBot?.endsAtMs ?? 0) ? ofPlace : ofBot;
  return longest !== undefined && longest.endsAtMs > performance.now() ? longest : undefined;
}

export function floodOf(floods: FloodsOfBot | undefined, call: FloodedCall): Flood | undefined {
  return floods?.get(keyOf(call));
}

function keyOf({ family, place }: Pick<FloodedCall, 'family' | 'place'>): string {
  return `${family} ${place}`;
}

function changeOf({ botId, family, place, untilMs }: Flood): FloodChange {
  return { botId, family, place, untilMs };
}
