import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { type BodyFault, badBody, LONG_HEADERS, TOO_MANY_FILES } from './body-fault.ts';
import { MOST_PARAMETERS } from './collect-parameters.ts';
import { parseUrlEncoded } from './parse-urlencoded.ts';
import { type FileHead, type PartHead, readPartHead } from './part-headers.ts';
import { PendingBytes } from './pending-bytes.ts';

/** A part with a file name: its length, and the bytes that the parser was asked to keep. */
export type FilePart = { bytes: number; content: Buffer };

export type MultipartParser = {
  write(chunk: Buffer): void;
  /** To be called when no more comes: a body that is not closed is at fault. */
  end(): void;
  /** True when the closing boundary was read. */
  isClosed(): boolean;
  /** Why the platform refuses the body; null as long as it does not. Nothing is read after a fault. */
  fault(): BodyFault | null;
  /** The bytes held of the part that is being read. */
  heldBytes(): number;
};

type Sink = {
  onField(name: string, value: string): void;
  /** There are more than MOST_PARAMETERS fields; nothing is read after these. */
  onTooManyFields(): void;
  onFile(name: string, part: FilePart): void;
  /** Where the bytes of a file go as they come; the parser then keeps none of them. */
  streamFile?(head: FileHead): (bytes: Buffer) => void;
  /** The headers of each part as they were sent; null for headers that are too long, after which nothing is read. */
  onHeaders?(headers: string | null): void;
  /** A field that is longer than is kept. */
  onLongField?(name: string): void;
};

/** The most bytes that are kept of a field and of a file, and the most that all headers may have. */
type Limits = { field: number; file: number; headers?: number };

/** The platform's limits. */
const HEADERS_LIMIT = 256 * 1024;
const FILES_LIMIT = 50;
const HEADERS_END = Buffer.from('\r\n\r\n');
/** Content is passed on in pieces of at least this size, whatever the size of the chunks. */
const PIECE_BYTES = 4096;
const NO_HEADERS = badBody('headers in multipart/form-data are empty');
const CUT_OFF = badBody('unexpected end of request content');

type Part = PartHead & {
  stream: ((bytes: Buffer) => void) | null;
  bytes: number;
  kept: GrowingBytes;
  keptBytes: number;
};

/**
 * Reads parts from chunks that may be cut anywhere, as `HttpReader::parse_multipart_form_data` of the platform does. It holds
 * only a part's headers, a piece that may begin a boundary, and the content it keeps (`limits`). Each character of the
 * boundary is a byte.
 */
export function multipartParser(boundary: string, limits: Limits, sink: Sink): MultipartParser {
  return new Parser(boundary, limits, sink);
}

class Parser implements MultipartParser {
  readonly #delimiter: Buffer;
  readonly #limits: Limits;
  readonly #sink: Sink;
  readonly #pending = new PendingBytes();
  #state: 'prologue' | 'headers' | 'content' | 'boundary' | 'closed' | 'failed' = 'prologue';
  #part: Part | null = null;
  #headersBytes = 0;
  #files = 0;
  #fields = 0;
  #fault: BodyFault | null = null;

  constructor(boundary: string, limits: Limits, sink: Sink) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#limits = limits;
    this.#sink = sink;
  }

  write(chunk: Buffer): void {
    if (this.#isDone()) return;
    this.#pending.append(chunk);
    while (this.#step());
    if (this.#isDone()) this.#pending.drop(this.#pending.length);
    this.#pending.settle();
  }

  end(): void {
    if (!this.#isDone()) this.#fail(CUT_OFF);
  }

  isClosed(): boolean {
    return this.#state === 'closed';
  }

  fault(): BodyFault | null {
    return this.#fault;
  }

  heldBytes(): number {
    return this.#pending.heldBytes() + (this.#part?.kept.heldBytes() ?? 0);
  }

  #isDone(): boolean {
    return this.#state === 'closed' || this.#state === 'failed';
  }

  /** False if more bytes are needed, or none. */
  #step(): boolean {
    switch (this.#state) {
      case 'prologue':
        return this.#skipPrologue();
      case 'headers':
        return this.#readHeaders();
      case 'content':
        return this.#readContent();
      case 'boundary':
        return this.#readBoundaryEnd();
      case 'closed':
      case 'failed':
        return false;
    }
  }

  /** The first boundary may follow any text, and no line break needs to stand before it. */
  #skipPrologue(): boolean {
    const first = this.#delimiter.subarray(2);
    const at = this.#pending.indexOf(first);
    if (at === -1) {
      this.#pending.take(Math.max(0, this.#pending.length - first.length + 1));
      return false;
    }
    this.#pending.drop(at + first.length);
    this.#state = 'headers';
    return true;
  }

  #readHeaders(): boolean {
    const end = this.#pending.indexOf(HEADERS_END);
    const bytes = end === -1 ? this.#pending.length - HEADERS_END.length + 1 : end;
    if (this.#headersBytes + bytes > Math.min(this.#limits.headers ?? HEADERS_LIMIT, HEADERS_LIMIT)) {
      this.#sink.onHeaders?.(null);
      return this.#fail(LONG_HEADERS);
    }
    if (end === -1) return false;
    if (end === 0) return this.#fail(NO_HEADERS);
    this.#headersBytes += end;
    const headers = this.#pending.take(end + HEADERS_END.length);
    this.#sink.onHeaders?.(headers.toString('utf8', 0, end));
    // The two bytes behind the boundary are a line break at best; the platform does not look.
    const head = readPartHead(headers.toString('latin1', 2, end + 2));
    if ('fault' in head) return this.#fail(head.fault);
    if (head.file !== null && ++this.#files > FILES_LIMIT) return this.#fail(TOO_MANY_FILES);
    const kept = new GrowingBytes(head.file === null ? this.#limits.field : this.#limits.file);
    const stream = head.file !== null && this.#sink.streamFile ? this.#sink.streamFile(head.file) : null;
    this.#part = { ...head, stream, bytes: 0, kept, keptBytes: 0 };
    this.#state = 'content';
    return true;
  }

  #readContent(): boolean {
    const at = this.#pending.indexOf(this.#delimiter);
    if (at === -1) {
      const certain = this.#pending.length - this.#delimiter.length + 1;
      if (certain >= PIECE_BYTES) this.#keep(this.#pending.take(certain));
      return false;
    }
    if (at > 0) this.#keep(this.#pending.take(at));
    this.#finishPart();
    if (this.#isDone()) return false;
    this.#pending.drop(this.#delimiter.length);
    this.#state = 'boundary';
    return true;
  }

  #readBoundaryEnd(): boolean {
    if (this.#pending.length < 2) return false;
    this.#state = this.#pending.startsWith('--') ? 'closed' : 'headers';
    return true;
  }

  #keep(bytes: Buffer): void {
    const part = this.#part as Part;
    part.bytes += bytes.length;
    if (part.stream !== null) {
      part.stream(bytes);
      return;
    }
    const room = (part.file !== null ? this.#limits.file : this.#limits.field) - part.keptBytes;
    if (room <= 0) return;
    const kept = bytes.subarray(0, room);
    // A copy, because a slice would keep the whole chunk in memory.
    part.kept.write(part.keptBytes === 0 ? Buffer.from(kept) : kept);
    part.keptBytes += kept.length;
  }

  #finishPart(): void {
    const { name, file, isForm, bytes, kept } = this.#part as Part;
    this.#part = null;
    if (file !== null) this.#sink.onFile(name, { bytes, content: kept.bytes() });
    else if (isForm && bytes <= this.#limits.field) this.#readForm(kept.bytes());
    else if (!this.#hasRoom()) return;
    else if (bytes > this.#limits.field) this.#sink.onLongField?.(name);
    else this.#sink.onField(name, kept.bytes().toString('utf8'));
  }

  #readForm(form: Buffer): void {
    const set = (name: string, value: string) => this.#sink.onField(name, value);
    parseUrlEncoded(form, { hasRoom: () => this.#hasRoom(), has: () => false, set });
  }

  #hasRoom(): boolean {
    this.#fields += 1;
    if (this.#fields <= MOST_PARAMETERS) return true;
    this.#state = 'failed';
    this.#sink.onTooManyFields();
    return false;
  }

  #fail(fault: BodyFault): false {
    this.#fault = fault;
    this.#state = 'failed';
    this.#part = null;
    return false;
  }
}
