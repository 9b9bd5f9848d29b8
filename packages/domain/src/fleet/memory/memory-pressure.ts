/**
 * How full Redis is. `tight`: bots with long backlogs take no updates in. `short`: no bot does. `scarce`: captured
 * calls wait in their processes as well, which leaves the rest of the memory to turns, because turns free memory.
 */
export type MemoryPressure = 'relaxed' | 'tight' | 'short' | 'scarce';

/** Intake of a bot stops when this many updates wait for its quickest reader; the platform keeps the rest. */
export const BACKLOG_LIMIT = 100_000;
/** The same limit for the slowest reader, while memory is tight. */
export const TIGHT_BACKLOG_LIMIT = 2_000;

/**
 * How many updates wait for a bot's quickest and for its slowest reader; the slowest decides how much memory they use.
 */
export type Waiting = { quickest: number; slowest: number };

/**
 * The shares of memory at which a level begins and ends. They differ, so that intake does not switch back and forth.
 */
const LEVELS = [
  { pressure: 'tight', begins: 0.6, ends: 0.55 },
  { pressure: 'short', begins: 0.8, ends: 0.75 },
  { pressure: 'scarce', begins: 0.9, ends: 0.85 },
] as const;

/** The pressure at this share of used memory, given the pressure before. */
export function pressureAt(share: number, before: MemoryPressure): MemoryPressure {
  const height = LEVELS.findIndex(({ pressure }) => pressure === before);
  const holds = LEVELS.findLast(({ begins, ends }, level) => share >= (level <= height ? ends : begins));
  return holds?.pressure ?? 'relaxed';
}

/**
 * True if a bot must take nothing in: memory is short, or too many updates wait for its quickest reader, or, while
 * memory is tight, for its slowest.
 */
export function stopsIntake(pressure: MemoryPressure, waiting: Waiting): boolean {
  if (pressure === 'short' || pressure === 'scarce') return true;
  if (waiting.quickest >= BACKLOG_LIMIT) return true;
  return pressure === 'tight' && waiting.slowest >= TIGHT_BACKLOG_LIMIT;
}

/** Warnings for operators; empty while there is room. */
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
        `${used}: no bot takes updates in, and calls for the history wait in their processes, which lose those beyond 50,000 or 32 MiB`,
      ];
  }
}
