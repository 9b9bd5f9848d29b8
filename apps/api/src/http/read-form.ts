import type { IncomingMessage, ServerResponse } from 'node:http';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { multipartBoundary } from '@flotilla/telegram/parameters/multipart-boundary.ts';
import { type MultipartParser, multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import type { FileHead } from '@flotilla/telegram/parameters/part-headers.ts';
import { type BodyBudget, shareOf } from './collect-body.ts';
import { IncomingFile } from './incoming-file.ts';
import { cutLateBody } from './known-sender.ts';

/** The name of the file in a form. */
const FILE = 'file';
const FIELDS_BYTES = 1_048_576;
const FIELDS_AT_MOST = 100;
/** The bytes of a field beside its name and value. */
const FIELD_BYTES = 200;
const RETRY_AFTER_S = 1;

/** The fields of a multipart body, and its file, of which at most the beginning has come. */
export interface Form {
  fields: Map<string, string>;
  file: IncomingFile | null;
}

/**
 * Reads a multipart body up to its file, or to its end. After the file there must be nothing. Throws FlotillaError:
 * 'bad_request', 'payload_too_large', 'unsupported_media_type', or 'unavailable' if the budget is used up.
 */
export function readForm(
  request: IncomingMessage,
  response: ServerResponse,
  budget: BodyBudget,
  limitBytes: number,
): Promise<Form> {
  const boundary = boundaryOf(request, limitBytes);
  return new Promise((resolve, reject) => {
    const reading = new FormReading(request, boundary, limitBytes, { resolve, reject });
    const share = shareOf(budget, response);
    const onData = (bytes: Buffer) => {
      reading.write(bytes);
      if (!share.growTo(reading.heldBytes())) reading.fail(noRoom());
    };
    const onEnd = () => reading.fail(new FlotillaError('bad_request', 'The form ends before its last boundary'));
    const onClose = () =>
      reading.fail(new FlotillaError('bad_request', 'The request ended before its body was complete'));
    const stopWatching = cutLateBody(request, () => reading.heldBytes());
    reading.onFieldsRead = stopWatching;
    reading.onDone = () => {
      stopWatching();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      request.resume();
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    if (request.destroyed) onClose();
  });
}

function boundaryOf({ headers }: IncomingMessage, limitBytes: number): string {
  if (!['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase())) {
    throw new FlotillaError('unsupported_media_type', 'A form must not be compressed');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes + FIELDS_BYTES) {
    throw new FlotillaError('payload_too_large', `The file is larger than ${limitBytes / FIELDS_BYTES} MB`);
  }
  const found = multipartBoundary(headers['content-type'] ?? '');
  if ('fault' in found) throw new FlotillaError('bad_request', 'The Content-Type of the form names no boundary');
  return found.boundary;
}

type Promised = { resolve(form: Form): void; reject(error: FlotillaError): void };

/** A form while it is read. It is done when all is read, or has failed. */
class FormReading {
  readonly #request: IncomingMessage;
  readonly #limitBytes: number;
  readonly #promised: Promised;
  readonly #parser: MultipartParser;
  readonly #fields = new Map<string, string>();
  #fieldsBytes = 0;
  #file: IncomingFile | null = null;
  #done = false;
  onFieldsRead: () => void = () => undefined;
  onDone: () => void = () => undefined;

  constructor(request: IncomingMessage, boundary: string, limitBytes: number, promised: Promised) {
    this.#request = request;
    this.#limitBytes = limitBytes;
    this.#promised = promised;
    this.#parser = multipartParser(
      boundary,
      { field: FIELDS_BYTES, file: 0 },
      {
        onField: (name, value) => this.#onField(name, value),
        onTooManyFields: () => this.fail(tooManyFields()),
        onFile: () => undefined,
        streamFile: (head) => this.#onFile(head),
      },
    );
  }

  write(bytes: Buffer): void {
    this.#parser.write(bytes);
    if (this.#done) return;
    if (this.#file === null && this.heldBytes() > FIELDS_BYTES) {
      this.fail(new FlotillaError('payload_too_large', 'The fields of the form are larger than 1 MiB'));
    } else if (this.#parser.isClosed()) this.#complete();
  }

  heldBytes(): number {
    return this.#fieldsBytes + this.#parser.heldBytes();
  }

  fail(error: FlotillaError): void {
    if (this.#done) return;
    this.#end();
    this.#promised.reject(error);
    this.#file?.destroy(error);
  }

  #complete(): void {
    this.#end();
    this.#file?.complete();
    this.#promised.resolve({ fields: this.#fields, file: this.#file });
  }

  #end(): void {
    this.#done = true;
    this.onDone();
  }

  #onField(name: string, value: string): void {
    if (this.#done) return;
    if (this.#file !== null) this.fail(refusedInput(name.slice(0, 64), 'must come before the file'));
    else if (this.#fields.has(name)) this.fail(refusedInput(name.slice(0, 64), 'is given twice'));
    else if (this.#fields.size === FIELDS_AT_MOST) this.fail(tooManyFields());
    else {
      this.#fields.set(name, value);
      this.#fieldsBytes += FIELD_BYTES + 2 * (name.length + value.length);
    }
  }

  #onFile(head: FileHead): (bytes: Buffer) => void {
    if (head.field !== FILE) this.fail(refusedInput(head.field.slice(0, 64), 'is not a file of this call'));
    else if (this.#file !== null) this.fail(refusedInput(FILE, 'must be given once'));
    else if (!this.#done) {
      const file = new IncomingFile(head, this.#request, this.#limitBytes);
      // Nobody reads on for a file that was given up.
      file.once('close', () => this.#done || this.#end());
      this.#file = file;
      this.onFieldsRead();
      this.#promised.resolve({ fields: this.#fields, file });
      return (bytes) => file.receive(bytes);
    }
    return () => undefined;
  }
}

function tooManyFields(): FlotillaError {
  return new FlotillaError('bad_request', `The form has more than ${FIELDS_AT_MOST} fields`);
}

function noRoom(): FlotillaError {
  return new FlotillaError('unavailable', 'Too many requests are being read at the moment; try again shortly', {
    retryAfterS: RETRY_AFTER_S,
  });
}
