import { type PointerEvent, useEffect, useReducer, useRef, useState } from 'react';

type Key = string | number;
type List<Row> = {
  /** The filter and the order: with others it is another list. */
  of?: unknown;
  total: number;
  /** Undefined while the row is not loaded. */
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => Key;
  /** Its rows are on their way; until then those of another list may be shown. */
  stale: boolean;
};
type Held<Row> = {
  of: string;
  total: number;
  /** The first rows as they were. */
  known: ReadonlySet<Key>;
  rows: Map<number, Row>;
  places: Map<Key, number>;
};

/** So many first rows are always loaded. */
const FIRST = 50;
/** So far a row is looked for around its former place. */
const NEAR = 50;

/**
 * Keeps the rows of a list at their places while the mouse is over `area`, or while `also` is true; what they say is as
 * new as ever. `news` rows came at the head since then; `isBehind`: a row stands elsewhere by now.
 */
export function useHeldRows<Row>(list: List<Row>, also = false) {
  const [pointed, setPointed] = useState(false);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const held = useRef<Held<Row> | null>(null);
  const overlaps = useRef(false);
  const of = JSON.stringify(list.of ?? null);
  const holds = (pointed || also) && !list.stale;
  if (!holds || held.current?.of !== of) held.current = null;
  if (holds) held.current ??= heldOf(list, of);
  const { current } = held;
  const latest = current === null ? null : latestRows(list, current);
  const news = current === null ? 0 : newsOf(list, current);
  const release = () => {
    held.current = null;
    setPointed(false);
    draw();
  };
  // Somebody scrolled to where a row that is held stands by now.
  useEffect(() => {
    if (!overlaps.current) return;
    overlaps.current = false;
    release();
  });
  const rowAt = (index: number): Row | undefined => {
    const before = current?.rows.get(index);
    if (before !== undefined) return latest?.get(list.keyOf(before)) ?? before;
    const row = list.rowAt(index + news);
    if (current === null || row === undefined) return row;
    const key = list.keyOf(row);
    if ((current.places.get(key) ?? index) !== index) {
      overlaps.current = true;
      return undefined;
    }
    current.rows.set(index, row);
    current.places.set(key, index);
    return row;
  };
  return {
    rowAt,
    total: Math.max(current?.total ?? 0, list.total - news),
    news,
    isBehind: current !== null && isBehind(list, current),
    release,
    area: {
      // An element that goes under the pointer hides that this enters the list.
      onPointerMove: ({ pointerType }: PointerEvent) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
    },
  };
}

function heldOf<Row>(list: List<Row>, of: string): Held<Row> {
  const known = new Set<Key>();
  for (const [key] of rowsBetween(list, 0, FIRST)) known.add(key);
  return { of, total: list.total, known, rows: new Map(), places: new Map() };
}

function* rowsBetween<Row>({ total, rowAt, keyOf }: List<Row>, from: number, to: number): Iterable<[Key, Row]> {
  for (let index = Math.max(0, from); index < Math.min(total, to); index += 1) {
    const row = rowAt(index);
    if (row !== undefined) yield [keyOf(row), row];
  }
}

function latestRows<Row>(list: List<Row>, { rows }: Held<Row>): ReadonlyMap<Key, Row> {
  const places = [...rows.keys()];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  return new Map([...rowsBetween(list, 0, FIRST), ...rowsBetween(list, first - NEAR, last + NEAR)]);
}

/** How many rows stand before the first that was known. */
function newsOf<Row>(list: List<Row>, { known }: Held<Row>): number {
  let count = 0;
  for (const [key] of rowsBetween(list, 0, FIRST)) {
    if (known.has(key)) return count;
    count += 1;
  }
  // Nothing of before is left: it is another list rather than a longer one.
  return known.size === 0 ? count : 0;
}

function isBehind<Row>({ total, rowAt, keyOf }: List<Row>, { rows }: Held<Row>): boolean {
  return [...rows].some(([index, before]) => {
    const now = rowAt(index);
    return now === undefined ? index >= total : keyOf(now) !== keyOf(before);
  });
}
