import { decodeUrl } from './parse-form-params.ts';

/** `fileName` is null for a parameter. */
export type PartHeaders = { field: string; fileName: string | null; mime: string };

const SPACES = new Set([...' \t\r\n\0\v'].map((space) => space.charCodeAt(0)));
const [TAB, LF, CR, SPACE, QUOTE, COLON, SEMICOLON, EQUALS, BACKSLASH] = [
  9, 10, 13, 0x20, 0x22, 0x3a, 0x3b, 0x3d, 0x5c,
];
const DISPOSITION = 'form-data;';

/** Reads the header lines of a part; null where the platform answers 400 (HttpReader.cpp:266-399). */
export function readPartHeaders(lines: Buffer): PartHeaders | null {
  const read: PartHeaders = { field: '', fileName: null, mime: 'application/octet-stream' };
  let at = 0;
  while (at < lines.length) {
    const colon = lines.indexOf(COLON, at);
    if (colon < 0) return null;
    const name = trim(lines.subarray(at, colon)).toString('latin1').toLowerCase();
    at = colon + 1;
    let end = at;
    do {
      end = lines.indexOf(CR, at);
      if (end < 0 || lines[end + 1] !== LF) return null;
      at = end + 2;
    } while (lines[at] === SPACE || lines[at] === TAB);
    const value = trim(lines.subarray(colon + 1, end));
    if (name === 'content-type') read.mime = value.toString();
    if (name === 'content-disposition' && !readDisposition(value, read)) return null;
  }
  return read.field === '' ? null : read;
}

/** False for a disposition that the platform refuses. */
function readDisposition(header: Buffer, read: PartHeaders): boolean {
  if (header.toString('latin1', 0, DISPOSITION.length) !== DISPOSITION) return false;
  let rest = header.subarray(DISPOSITION.length);
  for (;;) {
    rest = trim(rest);
    const equals = rest.indexOf(EQUALS);
    if (equals < 0) return true;
    const key = trim(rest.subarray(0, equals)).toString('latin1');
    rest = trimStart(rest.subarray(equals + 1));
    const found = rest[0] === QUOTE ? quotedString(rest) : token(rest);
    if (found === null) return false;
    const value = decodeUrl(found.value, false).toString();
    if (key === 'name') read.field = value;
    if (key === 'filename') read.fileName = value;
    rest = found.rest;
  }
}

type Found = { value: Buffer; rest: Buffer };

function token(text: Buffer): Found {
  const semicolon = text.indexOf(SEMICOLON);
  if (semicolon < 0) return { value: trim(text), rest: Buffer.alloc(0) };
  return { value: trim(text.subarray(0, semicolon)), rest: text.subarray(semicolon + 1) };
}

function quotedString(text: Buffer): Found | null {
  const value: number[] = [];
  let at = 1;
  while (text[at] !== QUOTE) {
    if (text[at] === BACKSLASH) at += 1;
    if (at >= text.length) return null;
    value.push(text[at]!);
    at += 1;
  }
  const rest = trimStart(text.subarray(at + 1));
  if (rest.length > 0 && rest[0] !== SEMICOLON) return null;
  return { value: Buffer.from(value), rest: rest.subarray(1) };
}

function trimStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && SPACES.has(bytes[start]!)) start += 1;
  return bytes.subarray(start);
}

function trim(bytes: Buffer): Buffer {
  const started = trimStart(bytes);
  let end = started.length;
  while (end > 0 && SPACES.has(started[end - 1]!)) end -= 1;
  return started.subarray(0, end);
}
