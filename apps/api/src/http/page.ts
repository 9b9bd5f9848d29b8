import { isStorable } from '@flotilla/contract/inputs.ts';
import { type FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';

/** One page of a list. */
export interface Page<Row> {
  rows: Row[];
  /** The number of rows in the whole list; null of a list that is not counted. */
  total: number | null;
  /** The start of the next page; null on the last one. */
  next: Cursor | null;
  /** The end of the page before; null on the first one. Lists that go one way have none. */
  prev?: Cursor | null;
  /** When (ms) the values were taken by which the list is filtered and sorted. Absent: now. */
  takenAtMs?: number;
}

/** The sort key of the last row of a page, so that rows added before it do not move the next page. */
export type Cursor = readonly (number | string)[];

const LAST_SECOND = 253_402_300_799;

/** The values that a part of a cursor may have. Other values no list has made, and Postgres or a date may not be able to hold them. */
const PARTS = {
  text: z.string().max(200).refine(isStorable),
  id: z.int().min(1),
  platformId: z.int(),
  seconds: z.int().min(0).max(LAST_SECOND),
  ms: z
    .int()
    .min(0)
    .max(LAST_SECOND * 1000),
  count: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
} as const;
type Part = keyof typeof PARTS;

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads `before` as that list's own cursor; throws 'bad_request' for any other text. */
export function decodeCursor<const Form extends readonly Part[]>(
  before: string | undefined,
  form: Form,
  input = 'before',
): CursorOf<Form> | null {
  if (before === undefined) return null;
  const parts = parseOrNull(before);
  const fits =
    Array.isArray(parts) &&
    parts.length === form.length &&
    form.every((part, at) => PARTS[part].safeParse(parts[at]).success);
  if (!fits) throw foreignCursor(input);
  return parts as unknown as CursorOf<Form>;
}

/** For a cursor that this list did not make. */
export function foreignCursor(input = 'before'): FlotillaError {
  return refusedInput(input, 'must be a cursor from a Link header of this list');
}

type CursorOf<Form extends readonly Part[]> = { [Index in keyof Form]: z.output<(typeof PARTS)[Form[Index]]> };

function parseOrNull(before: string): unknown {
  try {
    return JSON.parse(Buffer.from(before, 'base64url').toString());
  } catch {
    return null;
  }
}

/** Cuts a page from `rows`, which has one row more than `limit` where another page follows. */
export function cutPage<Row>(rows: Row[], limit: number, total: number | null, keyOf: (row: Row) => Cursor): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, total, next: rows.length > limit && last !== undefined ? keyOf(last) : null };
}

/** Cuts a page from the whole list. If the last row of the page before is gone, the next one begins at its place. */
export function pageOf<Row>(
  all: Row[],
  { limit, offset, before }: { limit: number; offset: number; before?: string | undefined },
  keyOf: (row: Row) => string,
): Page<Row> {
  const [lastKey = null, place = offset] = decodeCursor(before, ['text', 'count']) ?? [];
  const isLast = (row: Row | undefined) => row !== undefined && keyOf(row) === lastKey;
  // Looked for only if it has moved, since several rows may have the same key.
  const moved = lastKey === null || isLast(all[place - 1]) ? -1 : all.findIndex(isLast);
  const begin = moved === -1 ? place : moved + 1;
  const rows = all.slice(begin, begin + limit);
  const end = begin + rows.length;
  return { rows, total: all.length, next: rows.length > 0 && end < all.length ? [keyOf(rows.at(-1)!), end] : null };
}

/** The value of a Link header: the previous and the next page of the list. Undefined if there is neither. */
export function linkHeader(
  url: string,
  { next, prev = null }: Pick<Page<unknown>, 'next' | 'prev'>,
): string | undefined {
  const links = [
    ...(prev === null ? [] : [`<${listFrom(url, 'after', prev)}>; rel="prev"`]),
    ...(next === null ? [] : [`<${listFrom(url, 'before', next)}>; rel="next"`]),
  ];
  return links.length === 0 ? undefined : links.join(', ');
}

function listFrom(url: string, side: 'before' | 'after', cursor: Cursor): string {
  const [path = ''] = url.split('?', 1);
  // The query itself may have question marks.
  const parameters = new URLSearchParams(url.slice(path.length + 1));
  for (const name of ['offset', 'before', 'after', 'around']) parameters.delete(name);
  parameters.set(side, encodeCursor(cursor));
  return `${path}?${parameters}`;
}
