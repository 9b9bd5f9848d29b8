import { randomUUID } from 'node:crypto';
import {
  type CallLimits,
  checkLateParameter,
  type RefusedParameter,
} from '@flotilla/domain/delivery/programs/check-call.ts';
import { quotable } from '@flotilla/telegram/multipart-form.ts';
import { multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import type { FileHead } from '@flotilla/telegram/parameters/part-headers.ts';
import { badRequest, NO_ROOM, type Refusal, TOO_LARGE } from '../answer.ts';
import type { BodyRewriter, OwnBody } from '../forward.ts';
import { PARAMETERS_BYTES, TOO_MANY } from './see-parameters.ts';

/** Parameters as JSON whose values are all texts: the platform reads each as it stands. */
export function parametersAsJson(parameters: ReadonlyMap<string, string>): Buffer {
  const members = [...parameters].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return Buffer.from(`{${members.join(',')}}`);
}

export type FormOptions = {
  /** That of the form that is read. */
  boundary: string;
  /** In lower case. */
  method: string;
  /** The parts before all others. A part with the name of one of these, or of an earlier part, is left out. */
  first: ReadonlyMap<string, string>;
  limits: CallLimits;
  /** The refusal of a part that would leave the limits. */
  refuse: (refused: RefusedParameter) => Refusal;
  /** False if there is no memory for this many bytes. */
  holds: (bytes: number) => boolean;
};

const LINE_END = Buffer.from('\r\n');
const UNUSUAL = badRequest('the headers of a part of the form are too long');
const NO_END = badRequest('unexpected end of request content');
const MIME = /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w.+-]+=[\w.+-]+)*$/;

/** A form written anew while it streams: fields as they were checked, files with headers of ours. */
export function rewrittenForm(options: FormOptions): OwnBody {
  const boundary = `flotilla-${randomUUID()}`;
  return { type: `multipart/form-data; boundary=${boundary}`, rewrite: new FormRewriter(boundary, options) };
}

class FormRewriter implements BodyRewriter {
  readonly #boundary: string;
  readonly #method: string;
  readonly #limits: CallLimits;
  readonly #refuse: FormOptions['refuse'];
  readonly #holds: FormOptions['holds'];
  readonly #parser: ReturnType<typeof multipartParser>;
  readonly #sent: Set<string>;
  #pieces: Buffer[] = [];
  #fieldBytes = 0;
  #refusal: Refusal | null = null;

  /** The first part is not kept: an upload behind it may take hours. */
  constructor(boundary: string, { boundary: given, method, first, limits, refuse, holds }: FormOptions) {
    this.#boundary = boundary;
    this.#method = method;
    this.#limits = limits;
    this.#refuse = refuse;
    this.#holds = holds;
    this.#sent = new Set();
    this.#parser = multipartParser(
      given,
      { field: PARAMETERS_BYTES, file: 0 },
      {
        onHeaders: (headers) => {
          if (headers === null) this.#refusal ??= UNUSUAL;
        },
        onField: (name, value) => this.#checkField(name, value),
        onLongField: () => {
          this.#refusal ??= TOO_LARGE;
        },
        onTooManyFields: () => {
          const about = limits.chats === null ? 'method' : 'chat';
          this.#refusal ??= refuse({ outcome: 'refused', about, why: TOO_MANY, chatId: null });
        },
        streamFile: (head) => {
          this.#begin(head.field, head);
          return (bytes) => this.#pieces.push(bytes);
        },
        onFile: () => this.#pieces.push(LINE_END),
      },
    );
    for (const [name, value] of first) this.#addField(name, value);
  }

  write(chunk: Buffer): Buffer | Refusal {
    this.#parser.write(chunk);
    if (!this.#holds(this.#parser.heldBytes())) this.#refusal ??= NO_ROOM;
    return this.#refusal ?? this.#taken();
  }

  end(): Buffer | Refusal {
    if (!this.#parser.isClosed()) return this.#refusal ?? NO_END;
    this.#pieces.push(Buffer.from(`--${this.#boundary}--\r\n`));
    return this.#taken();
  }

  #checkField(name: string, value: string): void {
    this.#fieldBytes += name.length + value.length;
    if (this.#fieldBytes > PARAMETERS_BYTES) this.#refusal ??= TOO_LARGE;
    // One with a name that was sent is not sent, so it need not be checked.
    if (this.#refusal !== null || this.#sent.has(name)) return;
    const checked = checkLateParameter(this.#limits, this.#method, name, value);
    if (checked.outcome === 'refused') this.#refusal = this.#refuse(checked);
    else if (checked.value !== null) this.#addField(name, checked.value);
  }

  #addField(name: string, value: string): void {
    if (this.#sent.has(name)) return;
    this.#sent.add(name);
    this.#begin(name, null);
    this.#pieces.push(Buffer.from(value), LINE_END);
  }

  #begin(name: string, file: FileHead | null): void {
    const lines = [`--${this.#boundary}`, `Content-Disposition: form-data; name="${encodeURIComponent(name)}"`];
    if (file !== null) {
      lines[1] += `; filename="${quotable(file.name)}"`;
      lines.push(`Content-Type: ${MIME.test(file.mime) ? file.mime : 'application/octet-stream'}`);
    }
    this.#pieces.push(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  }

  #taken(): Buffer {
    const [first, another] = this.#pieces;
    const bytes = first !== undefined && another === undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }
}
