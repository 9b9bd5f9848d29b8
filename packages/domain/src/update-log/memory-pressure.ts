/**
 * What the memory of Redis leaves room for. `tight`: bots with much waiting take nothing in; `short`: no bot does;
 * `scarce`: captured calls wait in their processes as well, so that what is left goes to turns, which drain.
 */
export type MemoryPressure = 'relaxed' | 'tight' | 'short' | 'scarce';

/** Updates that a reader may have waiting before the platform keeps the rest. */
export const BACKLOG_LIMIT = 100_000;
/** The same while memory is tight. */
export const TIGHT_BACKLOG_LIMIT = 2_000;

/** Updates that wait for a bot's quickest reader, and for its slowest, which decides what they take of memory. */
export type Waiting = { quickest: number; slowest: number };

/** From which share on, and below which it ends: apart, so that intake does not flutter. */
const LEVELS = [
  { pressure: 'tight', begins: 0.6, ends: 0.55 },
  { pressure: 'short', begins: 0.8, ends: 0.75 },
  { pressure: 'scarce', begins: 0.9, ends: 0.85 },
] as const;

/** The pressure at this share of memory, after the one there was. */
export function pressureAt(share: number, before: MemoryPressure): MemoryPressure {
  const height = LEVELS.findIndex(({ pressure }) => pressure === before);
  const holds = LEVELS.findLast(({ begins, ends }, level) => share >= (level <= height ? ends : begins));
  return holds?.pressure ?? 'relaxed';
}

/** Whether a bot with so much waiting takes in more: at its quickest reader, or where memory counts at its slowest. */
export function stopsIntake(pressure: MemoryPressure, waiting: Waiting): boolean {
  if (pressure === 'short' || pressure === 'scarce') return true;
  if (waiting.quickest >= BACKLOG_LIMIT) return true;
  return pressure === 'tight' && waiting.slowest >= TIGHT_BACKLOG_LIMIT;
}

/** What operators are told: nothing while there is room. */
export function describePressure(pressure: MemoryPressure, share: number): string[] {
  const used = `Redis uses ${Math.round(share * 100)} % of its memory`;
  switch (pressure) {
    case 'relaxed':
      return [];
    case 'tight':
      return [`${used}: bots with ${TIGHT_BACKLOG_LIMIT} or more updates waiting take no more in`];
    case 'short':
      return [`${used}: no bot takes updates in until it has room`];
    case 'scarce':
      return [
        `${used}: no bot takes updates in, and calls through the proxy are not kept in the history until it has room`,
      ];
  }
}
