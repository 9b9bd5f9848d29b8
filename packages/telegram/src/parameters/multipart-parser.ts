import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { percentDecoded } from './percent-decoded.ts';

/** A part with a file name: its length, and the bytes that the parser was asked to keep. */
export type FilePart = { bytes: number; content: Buffer };

/** What the headers of a part say about its file. */
export type FileHead = { field: string; name: string; mime: string };

export type MultipartParser = {
  write(chunk: Buffer): void;
  end(): void;
  /** True when the closing boundary was read. */
  isClosed(): boolean;
  /** The bytes held of the part that is being read. */
  heldBytes(): number;
};

type Sink = {
  onField(name: string, value: string): void;
  onFile(name: string, part: FilePart): void;
  /** Where the bytes of a file go as they come; the parser then keeps none of them. */
  streamFile?(head: FileHead): (bytes: Buffer) => void;
  /** The headers of each part as they were sent; null for headers that are too long, after which nothing is read. */
  onHeaders?(headers: string | null): void;
  /** A field that is longer than is kept. */
  onLongField?(name: string): void;
};

/** The most bytes that are kept of a field and of a file. */
type Limits = { field: number; file: number };

const HEADERS_LIMIT = 16 * 1024;
const HEADERS_END = Buffer.from('\r\n\r\n');
const NONE = Buffer.alloc(0);

type Part = {
  name: string;
  /** Null for a field. */
  file: FileHead | null;
  stream: ((bytes: Buffer) => void) | null;
  bytes: number;
  kept: GrowingBytes;
  keptBytes: number;
};

/** RFC 2046 allows 70 characters. To search for a long one takes a time that grows with its length. */
const LONGEST_BOUNDARY = 200;

/** The boundary of a multipart content type; null when it names none, or one that is too long. */
export function multipartBoundary(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  return boundary === '' || boundary.length > LONGEST_BOUNDARY ? null : boundary;
}

/**
 * Reads parts from chunks that may be cut anywhere. It holds only a part's headers, a tail that may begin a boundary,
 * and the content it keeps (`limits`). It is lenient, because real clients are: it accepts an empty body, a lone
 * closing boundary, an unquoted file name with spaces, and a missing end.
 */
export function multipartParser(boundary: string, limits: Limits, sink: Sink): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary has no line break before it, so one is put in front.
  let pending: Buffer = Buffer.from('\r\n');
  let state: 'preamble' | 'headers' | 'content' | 'done' = 'preamble';
  let part: Part | null = null;
  let closed = false;

  const keep = (bytes: Buffer): void => {
    if (part === null) return;
    part.bytes += bytes.length;
    if (part.stream !== null) {
      if (bytes.length > 0) part.stream(bytes);
      return;
    }
    const room = (part.file !== null ? limits.file : limits.field) - part.keptBytes;
    if (room <= 0 || bytes.length === 0) return;
    const kept = bytes.subarray(0, room);
    part.kept.write(Buffer.from(kept));
    part.keptBytes += kept.length;
  };
  const finishPart = (): void => {
    if (part === null) return;
    const content = part.kept.bytes();
    if (part.file !== null) sink.onFile(part.name, { bytes: part.bytes, content });
    else if (part.bytes <= limits.field) sink.onField(part.name, content.toString('utf8'));
    else sink.onLongField?.(part.name);
    part = null;
  };
  /** Reads content up to the next delimiter. It keeps back a tail that may be the beginning of a delimiter. */
  const readContent = (): boolean => {
    if (state === 'done') return false;
    const found = pending.indexOf(delimiter);
    if (found === -1) {
      const safe = Math.max(0, pending.length - delimiter.length);
      keep(pending.subarray(0, safe));
      // A copy, because a slice would keep the whole chunk in memory.
      pending = Buffer.from(pending.subarray(safe));
      return false;
    }
    keep(pending.subarray(0, found));
    finishPart();
    pending = pending.subarray(found + delimiter.length);
    state = 'headers';
    return true;
  };
  const readHeaders = (): boolean => {
    if (pending.length < 2) return false;
    if (pending[0] === 45 && pending[1] === 45) {
      state = 'done';
      closed = true;
      pending = NONE;
      return false;
    }
    const end = pending.indexOf(HEADERS_END);
    if (end === -1) {
      if (pending.length > HEADERS_LIMIT) {
        state = 'done';
        sink.onHeaders?.(null);
      }
      return false;
    }
    const headers = pending.toString('utf8', 0, end);
    sink.onHeaders?.(headers);
    part = partFrom(headers, limits);
    if (part?.file && sink.streamFile) part.stream = sink.streamFile(part.file);
    pending = pending.subarray(end + HEADERS_END.length);
    state = 'content';
    return true;
  };
  return {
    write(chunk) {
      if (state === 'done') return;
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      for (let more = true; more; ) more = state === 'headers' ? readHeaders() : readContent();
    },
    end() {
      if (state === 'content') {
        keep(pending);
        finishPart();
      }
      state = 'done';
      pending = NONE;
    },
    isClosed: () => closed,
    heldBytes: () => pending.length + (part?.kept.heldBytes() ?? 0),
  };
}

function partFrom(headers: string, limits: Limits): Part | null {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? '';
  const name = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^;\r\n]*))/i.exec(disposition);
  if (name === null) return null;
  const isFile = /;\s*filename\*?=/i.test(disposition);
  const field = unquoted(name[1] ?? name[2] ?? '');
  return {
    name: field,
    file: isFile ? { field, name: fileName(disposition), mime: mimeOf(headers) } : null,
    stream: null,
    bytes: 0,
    kept: new GrowingBytes(isFile ? limits.file : limits.field),
    keptBytes: 0,
  };
}

function unquoted(value: string): string {
  return value
    .trim()
    .replace(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"');
}

function fileName(disposition: string): string {
  const plain = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\r\n]*))/i.exec(disposition);
  if (plain !== null) return unquoted(plain[1] ?? plain[2] ?? '');
  return percentDecoded(/;\s*filename\*=utf-8'[^']*'([^;\r\n]+)/i.exec(disposition)?.[1]?.trim() ?? '');
}

function mimeOf(headers: string): string {
  return /^content-type:(.*)$/im.exec(headers)?.[1]?.trim() ?? '';
}
