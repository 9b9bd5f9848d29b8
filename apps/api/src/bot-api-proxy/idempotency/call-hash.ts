import { createHash } from 'node:crypto';
import { paramsDigest } from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import { multipartBoundary } from '@flotilla/telegram/parameters/multipart-boundary.ts';
import { type MultipartParser, multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import type { FileHead } from '@flotilla/telegram/parameters/part-headers.ts';
import { PARAMETERS_BYTES } from '../programs/see-parameters.ts';

/** `path`: with its query string, as it is sent. `isPacked`: the body is compressed. */
type HashedCall = { method: string; path: string; contentType: string; isPacked: boolean };

const ATTACH = 'attach://';
/** In JSON, where libraries may escape a name in another script. */
const ATTACHED = /"attach:\/\/((?:[^"\\]|\\.)*)"/g;

/**
 * The digest of a call's parameters while they pass. The same call of a client has the same digest, although libraries draw the
 * boundary of a form and the names of attached files anew each time.
 */
export class CallHash {
  readonly #hash = createHash('sha256');
  readonly #form: MultipartParser | null;
  /** The part of a form that is read ended: the rest counts as it is. */
  #isRaw: boolean;
  /** Names of files, attached or mentioned, in the order in which they first came. */
  readonly #attachments = new Map<string, number>();
  readonly #mentioned = new Set<string>();
  readonly #files: string[] = [];

  constructor({ method, path, contentType, isPacked }: HashedCall) {
    const type = contentType.toLowerCase();
    this.#line('call', method, isOfTestServer(path), queryOf(path), type.split(';', 1)[0]);
    const found = type.includes('multipart/form-data') && !isPacked ? multipartBoundary(contentType) : null;
    this.#form = found !== null && 'boundary' in found ? this.#formReader(found.boundary) : null;
    this.#isRaw = this.#form === null;
  }

  write(chunk: Buffer): void {
    if (!this.#isRaw) this.#form?.write(chunk);
    if (this.#form?.fault() != null) this.#isRaw = true;
    if (this.#isRaw) this.#hash.update(chunk);
  }

  heldBytes(): number {
    return this.#isRaw ? 0 : (this.#form?.heldBytes() ?? 0);
  }

  /** To be called once, when the whole body was written. */
  digest(): string {
    // The name of a file that no field mentions is that of its parameter.
    const named = this.#files.filter((name) => !this.#mentioned.has(name));
    this.#line('end', named, this.#form?.isClosed() ?? true);
    return paramsDigest(this.#hash);
  }

  #line(...facts: unknown[]): void {
    this.#hash.update(`${JSON.stringify(facts)}\n`);
  }

  #formReader(boundary: string): MultipartParser {
    return multipartParser(
      boundary,
      { field: PARAMETERS_BYTES, file: 0 },
      {
        onField: (name, value) => this.#line('field', name, this.#withoutNames(value)),
        onLongField: (name) => this.#line('long field', name),
        onTooManyFields: () => {
          this.#isRaw = true;
        },
        onFile: (_name, { bytes }) => this.#line('end of file', bytes),
        streamFile: (head) => this.#beginFile(head),
      },
    );
  }

  #withoutNames(value: string): string {
    if (value.startsWith(ATTACH)) return this.#mention(value.slice(ATTACH.length));
    return value.replace(ATTACHED, (_match, name: string) => `"${this.#mention(unescaped(name))}"`);
  }

  #mention(name: string): string {
    this.#mentioned.add(name);
    return `${ATTACH}#${this.#ordinalOf(name)}`;
  }

  #beginFile({ field, name, mime }: FileHead): (bytes: Buffer) => void {
    const at = this.#ordinalOf(field);
    this.#files.push(field);
    // Some libraries make the name of a file from that of its part.
    const isOwnName = name === field || name.startsWith(`${field}.`);
    this.#line('file', at, isOwnName ? name.slice(field.length) : `/${name}`, mime);
    return (bytes) => this.#hash.update(bytes);
  }

  #ordinalOf(name: string): number {
    const known = this.#attachments.get(name);
    if (known !== undefined) return known;
    this.#attachments.set(name, this.#attachments.size);
    return this.#attachments.size - 1;
  }
}

/** A text between quotes of JSON. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

function queryOf(path: string): string {
  const at = path.indexOf('?');
  return at === -1 ? '' : path.slice(at + 1);
}

/** `/bot<token>/test/<method>` is another server of the platform. */
function isOfTestServer(path: string): boolean {
  return /^\/[^/]+\/test\//.test(path);
}
