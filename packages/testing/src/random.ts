/** Pseudo-random numbers: the same seed gives the same numbers. */
export type Random = {
  /** At least `from` and less than `to`. */
  between(from: number, to: number): number;
  oneOf<T>(choices: readonly T[]): T;
};

/** The mulberry32 generator: it is short, and these tests need only repeatable numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (from, to) => from + next() * (to - from),
    oneOf: (choices) => choices[Math.floor(next() * choices.length)]!,
  };
}
