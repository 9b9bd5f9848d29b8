import { scanArray, scanObject, skipSpace, skipValue } from './json-text.ts';

export interface SlicedUpdate {
  updateId: number;
  /** The update exactly as it was written, without surrounding whitespace. */
  raw: string;
  /** The offsets in `raw` where the digits of update_id begin and end. */
  idStart: number;
  idEnd: number;
  /** The parsed update. Numbers beyond 2^53 are rounded here, but not in `raw`. */
  value: Record<string, unknown>;
}

/**
 * Cuts every Update out of the text of a getUpdates answer without re-encoding it. Null when the text is not
 * `{"ok":true,"result":[…]}` with objects that have an integer update_id.
 */
export function sliceUpdates(body: string): { updates: SlicedUpdate[] } | null {
  const answer = parseObject(body);
  return answer?.ok === true ? sliceResult(body, answer.result) : null;
}

/** The same for an answer that was parsed already: `result` is what it has under that name. */
export function sliceResult(body: string, result: unknown): { updates: SlicedUpdate[] } | null {
  if (!Array.isArray(result)) return null;
  const values: unknown[] = result;
  let updates: (SlicedUpdate | null)[] = [];
  scanObject(body, skipSpace(body, 0), (key, start) => {
    if (key !== 'result') return skipValue(body, start);
    // JSON.parse uses the last of two equal names, so this must do the same.
    const isArray = body.charAt(start) === '[';
    updates = [];
    if (!isArray) return skipValue(body, start);
    return scanArray(body, start, (elementStart) => {
      const { end, update } = cutUpdate(body, elementStart, values[updates.length]);
      updates.push(update);
      return end;
    });
  });
  return updates.every((update) => update !== null) ? { updates } : null;
}

/** The same for the text of one Update, as the platform pushes it. Null when it is no Update. */
export function sliceUpdate(body: string): SlicedUpdate | null {
  const value = parseObject(body);
  return value === null ? null : cutUpdate(body, skipSpace(body, 0), value).update;
}

function cutUpdate(text: string, start: number, value: unknown): { end: number; update: SlicedUpdate | null } {
  if (text.charAt(start) !== '{') return { end: skipValue(text, start), update: null };
  let idStart = -1;
  let idEnd = -1;
  const end = scanObject(text, start, (key, valueStart) => {
    const valueEnd = skipValue(text, valueStart);
    if (key === 'update_id') {
      idStart = valueStart - start;
      idEnd = valueEnd - start;
    }
    return valueEnd;
  });
  const raw = text.slice(start, end);
  const updateId = readId(raw.slice(Math.max(idStart, 0), Math.max(idEnd, 0)));
  if (updateId === null) return { end, update: null };
  return { end, update: { updateId, raw, idStart, idEnd, value: value as Record<string, unknown> } };
}

function readId(digits: string): number | null {
  const id = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
