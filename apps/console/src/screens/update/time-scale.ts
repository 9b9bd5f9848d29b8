import { useWords } from '../../words/words.tsx';
import type { ShownUpdate } from './shown-update.ts';

/** Places on the track, from 0 to 1, by milliseconds since the update was accepted. */
export type TimeScale = { at: (ms: number) => number; since: (at: string) => number; ticks: number[] };

const STEPS_MS = [0, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000];
/** Before this, steps are even: a millisecond more or less says nothing. */
const LINEAR_MS = 10;

/** An attempt may come milliseconds after the acceptance or hours, so the time grows by factors. Null: it has no beginning. */
export function timeScale({ accepted_at, readers, calls }: ShownUpdate): TimeScale | null {
  const attempts = readers.flatMap((reader) => reader.attempts);
  const begins = [accepted_at, ...attempts.map(({ at }) => at)].flatMap((at) => (at ? [Date.parse(at)] : []));
  if (begins.length === 0) return null;
  const beginMs = Math.min(...begins);
  const since = (at: string) => Math.max(0, Date.parse(at) - beginMs);
  const ends = [
    ...attempts.map(({ at, duration_ms: took }) => since(at) + took),
    ...calls.map(({ at }) => since(at)),
    100,
  ];
  const most = Math.max(...ends);
  const grown = (ms: number) => Math.log(1 + ms / LINEAR_MS);
  const last = STEPS_MS.find((step) => step >= most) ?? most;
  return {
    at: (ms) => Math.min(1, grown(ms) / grown(last)),
    since,
    ticks: STEPS_MS.filter((step) => step <= last),
  };
}

const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** A length of time in its largest unit. */
export function useDuration(): (ms: number) => string {
  const { language } = useWords();
  return (ms) => {
    const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? UNITS[3];
    const form = {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: ms < 10 * length ? 1 : 0,
    } as const;
    return new Intl.NumberFormat(language, form).format(ms / length);
  };
}
