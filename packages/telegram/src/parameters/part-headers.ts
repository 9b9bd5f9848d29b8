import { type BodyFault, badBody } from './body-fault.ts';
import { decodedText, textOfBytes } from './percent-decoded.ts';
import { trim, trimStart } from './trim.ts';

/** The file of a part by its headers. */
export type FileHead = { field: string; name: string; mime: string };

/** `file` is null for a parameter; `isForm` if its value is a form of parameters itself. */
export type PartHead = { name: string; file: FileHead | null; isForm: boolean };

/** Not decoded; each character is a byte. */
type Disposition = { name: string; fileName: string | null };

const FORM = 'application/x-www-form-urlencoded';
const DISPOSITION = 'form-data;';
const NO_DISPOSITION = badBody('expected form-data content disposition');
const NOT_CLOSED = badBody('unclosed quoted string in Content-Disposition header');
const BAD_ESCAPE = badBody('wrong escape sequence in Content-Disposition header');
const NO_SEMICOLON = badBody("expected ';' in Content-Disposition header");
const BAD_HEADERS = badBody("can't parse form data headers");
const NO_NAME = badBody('field name in multipart/form-data not found');

/**
 * Reads the headers of a part, each character of which is a byte, as `HttpReader::parse_multipart_form_data` of the platform
 * does: the last of two names counts, names are percent-decoded, `filename*` and other parameters are ignored.
 */
export function readPartHead(headers: string): PartHead | { fault: BodyFault } {
  const found: Disposition = { name: '', fileName: null };
  let mime = 'application/octet-stream';
  let at = 0;
  while (at < headers.length) {
    const colon = headers.indexOf(':', at);
    const end = colon === -1 ? -1 : endOfValue(headers, colon + 1);
    if (end === -1) return { fault: BAD_HEADERS };
    const header = trim(headers.slice(at, colon)).toLowerCase();
    const value = trim(headers.slice(colon + 1, end));
    if (header === 'content-type') mime = value;
    const fault = header === 'content-disposition' ? readDisposition(value, found) : null;
    if (fault !== null) return { fault };
    at = end + 2;
  }
  if (found.name === '') return { fault: NO_NAME };
  const name = decoded(found.name);
  const { fileName } = found;
  const file = fileName === null ? null : { field: name, name: decoded(fileName), mime: textOfBytes(mime) };
  return { name, file, isForm: mime.startsWith(FORM) };
}

function decoded(bytes: string): string {
  return decodedText(Buffer.from(bytes, 'latin1'));
}

/** The offset of the line break that ends a value; a line that begins with a space continues it. -1 if there is none. */
function endOfValue(headers: string, from: number): number {
  for (let end = headers.indexOf('\r', from); end !== -1; end = headers.indexOf('\r', end + 2)) {
    if (headers[end + 1] !== '\n') return -1;
    const next = headers[end + 2];
    if (next !== ' ' && next !== '\t') return end;
  }
  return -1;
}

function readDisposition(value: string, found: Disposition): BodyFault | null {
  if (!value.startsWith(DISPOSITION)) return NO_DISPOSITION;
  let rest = trim(value.slice(DISPOSITION.length));
  for (let equals = rest.indexOf('='); equals !== -1; equals = rest.indexOf('=')) {
    const key = trim(rest.slice(0, equals));
    const after = trimStart(rest.slice(equals + 1));
    const read = after.startsWith('"') ? readQuoted(after) : readToken(after);
    if ('fault' in read) return read.fault;
    if (key === 'name') found.name = read.value;
    else if (key === 'filename') found.fileName = read.value;
    rest = trim(read.rest);
  }
  return null;
}

type Read = { value: string; rest: string };

function readToken(text: string): Read {
  const end = text.indexOf(';');
  return end === -1 ? { value: trim(text), rest: '' } : { value: trim(text.slice(0, end)), rest: text.slice(end + 1) };
}

function readQuoted(text: string): Read | { fault: BodyFault } {
  let value = '';
  let at = 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === '\\') {
      at += 1;
      if (at === text.length) return { fault: BAD_ESCAPE };
    }
    value += text[at];
  }
  if (at >= text.length) return { fault: NOT_CLOSED };
  const rest = trimStart(text.slice(at + 1));
  if (rest !== '' && !rest.startsWith(';')) return { fault: NO_SEMICOLON };
  return { value, rest: rest.slice(1) };
}

/** A pattern would take a time that grows with the square of the spaces. */
