import { addValue, type Params } from './params.ts';

/**
 * Reads a top-level JSON object as the platform does: unescapes strings, keeps other values as raw text, ignores a
 * broken tail (HttpReader.cpp:631-707).
 */
export function parseJsonParams(params: Params, body: string): void {
  const opening = skipSpace(body, 0);
  if (body[opening] === '"') {
    const content = readString(body, opening);
    if (content !== null) addValue(params, 'content', content.value);
    return;
  }
  if (body[opening] !== '{') return;
  let at = skipSpace(body, opening + 1);
  while (body[at] === '"') {
    const key = readString(body, at);
    if (key === null) return;
    at = skipSpace(body, key.end);
    if (body[at] !== ':') return;
    at = skipSpace(body, at + 1);
    const value = body[at] === '"' ? readString(body, at) : readRaw(body, at);
    if (value === null) return;
    addValue(params, key.value, value.value);
    at = skipSpace(body, value.end);
    if (body[at] !== ',') return;
    at = skipSpace(body, at + 1);
  }
}

type Piece = { value: string; end: number };

function skipSpace(body: string, from: number): number {
  let at = from;
  while (at < body.length && ' \t\r\n'.includes(body[at]!)) at += 1;
  return at;
}

function stringEnd(body: string, from: number): number {
  for (let at = from + 1; at < body.length; at += 1) {
    if (body[at] === '\\') at += 1;
    else if (body[at] === '"') return at + 1;
  }
  return -1;
}

function readString(body: string, from: number): Piece | null {
  const end = stringEnd(body, from);
  if (end < 0) return null;
  const quoted = body.slice(from, end).replace(/[\n\r\t]/g, (space) => JSON.stringify(space).slice(1, -1));
  try {
    return { value: JSON.parse(quoted) as string, end };
  } catch {
    return null;
  }
}

function readRaw(body: string, from: number): Piece | null {
  let depth = 0;
  let at = from;
  for (; at < body.length; at += 1) {
    const char = body[at]!;
    if (char === '"') {
      const end = stringEnd(body, at);
      if (end < 0) return null;
      at = end - 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      if (depth === 0) break;
      depth -= 1;
    } else if (char === ',' && depth === 0) break;
  }
  const value = body.slice(from, at).trim();
  return isJson(value) ? { value, end: at } : null;
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
