/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** At least `from`, less than `to`. */
  between(from: number, to: number): number;
  oneOf<T>(choices: readonly T[]): T;
};

/** The generator known as mulberry32: nothing is asked of it but to be short and to repeat itself. */
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
