/**
 * The first `count` rows in this order, sorted. A page of a long list takes about one comparison for each row, where
 * sorting all of them takes log2(rows).
 */
export function firstInOrder<Row>(
  rows: readonly Row[],
  compare: (one: Row, other: Row) => number,
  count: number,
): Row[] {
  if (count * 8 >= rows.length) return rows.toSorted(compare).slice(0, count);
  const first: Row[] = [];
  for (const row of rows) {
    if (first.length === count && compare(row, first[count - 1]!) >= 0) continue;
    first.splice(indexBehind(first, row, compare), 0, row);
    if (first.length > count) first.pop();
  }
  return first;
}

/** Where the row belongs in sorted rows, behind equal ones. */
function indexBehind<Row>(sorted: readonly Row[], row: Row, compare: (one: Row, other: Row) => number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(row, sorted[middle]!) < 0) to = middle;
    else from = middle + 1;
  }
  return from;
}
