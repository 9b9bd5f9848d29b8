/** True if both have the same values, in any order and however often. */
export function haveSameValues<Value>(some: readonly Value[], others: readonly Value[]): boolean {
  return some.every((value) => others.includes(value)) && others.every((value) => some.includes(value));
}
