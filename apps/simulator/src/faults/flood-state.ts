import type { MethodFamily } from './flood-limits.ts';

/** A time during which calls get 429: of one family or all, into one chat or all. */
export type FloodWait = {
  family: MethodFamily | null;
  chat: string | null;
  /** How long it is from its last begin or growth, in ms. */
  lengthMs: number;
  untilMs: number;
  lastGrownMs: number;
};

/** The recent sends of one bot, its waits, and the calls that were refused. */
export type FloodState = {
  /** Times at which messages were sent, by family and chat, for the limits of a second and a minute. */
  sent: Map<string, number[]>;
  /** The time at which the burst of a chat is whole again, by family and chat. */
  wholeAtMs: Map<string, number>;
  waits: Map<string, FloodWait>;
  refused: number;
  refusedByMethod: Map<string, number>;
};

const KEYS_KEPT = 2_000;
const LONGEST_WINDOW_MS = 60_000;

export function newFloodState(): FloodState {
  return { sent: new Map(), wholeAtMs: new Map(), waits: new Map(), refused: 0, refusedByMethod: new Map() };
}

export function waitKey(family: MethodFamily | null, chat: string | null): string {
  return `${family ?? ''}:${chat ?? ''}`;
}

/** Removes what no limit looks at any more, once there is much. */
export function forgetOld({ sent, wholeAtMs, waits }: FloodState, nowMs: number): void {
  if (sent.size > KEYS_KEPT) drop(sent, (times) => (times.at(-1) ?? 0) <= nowMs - LONGEST_WINDOW_MS);
  if (wholeAtMs.size > KEYS_KEPT) drop(wholeAtMs, (atMs) => atMs <= nowMs);
  if (waits.size > KEYS_KEPT) drop(waits, ({ untilMs }) => untilMs <= nowMs);
}

function drop<Value>(map: Map<string, Value>, isOld: (value: Value) => boolean): void {
  for (const [key, value] of map) if (isOld(value)) map.delete(key);
}
