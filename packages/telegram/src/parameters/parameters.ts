import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import type { BodyFault } from './body-fault.ts';
import { MOST_PARAMETERS, type ParameterSink } from './collect-parameters.ts';
import { multipartBoundary } from './multipart-boundary.ts';
import { type FilePart, multipartParser } from './multipart-parser.ts';
import { parseJsonParameters } from './parse-json-parameters.ts';
import { parseUrlEncoded } from './parse-urlencoded.ts';

/** A call's parameters, merged from the query string, which wins, and the body in any of its forms. */
export type Parameters = {
  values: Map<string, string>;
  files: Map<string, FilePart>;
  /**
   * True if there is more than what is read: too many bytes, or parameters. Of a body that has too many bytes and is no form
   * of parts, nothing was read then.
   */
  overflow: boolean;
  /** Why the platform refuses the body, which then has no parameters; null if it reads it. */
  fault: BodyFault | null;
};

export type ParameterReader = {
  write(chunk: Buffer): void;
  /** To be called when the whole body was written; until then, what was read is incomplete. */
  end(): void;
  /** The approximate memory of what was read so far, in bytes. */
  heldBytes(): number;
};

/** The memory that a part takes besides its name and content. */
const PART_BYTES = 200;
const ZERO = 0x30;
/** The name of the file that a body of any other type is. */
const WHOLE_BODY = 'file';

type Limits = { parameterBytes: number; fileBytes: number };

/** Parameters of a query string. Each of its characters is a byte, as Node gives them. */
export function parametersOf(query: string): Parameters {
  const parameters: Parameters = { values: new Map(), files: new Map(), overflow: false, fault: null };
  if (query !== '') parseUrlEncoded(Buffer.from(query, 'latin1'), new FirstValues(parameters));
  return parameters;
}

/**
 * Adds a body's parameters to `parameters`, chunk by chunk, holding at most `limits`. It reads what the platform does, by the
 * same content types (`HttpReader::do_read_next`): malformed JSON keeps the parameters before the fault, a malformed form of
 * parts is at fault, and a body of another type is a file. To be used only if a body was sent; an empty one is read, too.
 */
export function parameterReader(contentType: string, parameters: Parameters, limits: Limits): ParameterReader {
  const type = contentType.toLowerCase();
  if (type.includes('multipart/form-data')) return multipartReader(contentType, parameters, limits);
  if (type.includes('application/x-www-form-urlencoded')) return textReader(parameters, limits, parseUrlEncoded);
  if (type.includes('application/json')) return textReader(parameters, limits, parseJsonParameters);
  return fileReader(parameters, limits);
}

/** An integer as the platform reads it (32 bits, `to_integer`): a minus and leading digits, else 0; `absent` when it is empty. */
export function integerParameter(parameters: Parameters, name: string, absent: number): number {
  const text = parameters.values.get(name);
  if (text === undefined || text === '') return absent;
  const isNegative = text.startsWith('-');
  let value = 0;
  for (let at = isNegative ? 1 : 0; isDigit(text.charCodeAt(at)); at++) {
    value = (Math.imul(value, 10) + text.charCodeAt(at) - ZERO) | 0;
  }
  return isNegative ? -value | 0 : value;
}

/** A switch as the platform reads it: true, yes or 1. */
export function switchParameter(parameters: Parameters, name: string): boolean {
  return /^[ \t\r\n\0\v]*(true|yes|1)[ \t\r\n\0\v]*$/i.test(parameters.values.get(name) ?? '');
}

/** The file part of that name, or the part that `attach://…` names. */
export function fileParameter(parameters: Parameters, name: string): FilePart | undefined {
  const attached = /^attach:\/\/(.*)$/s.exec(parameters.values.get(name) ?? '')?.[1];
  return parameters.files.get(name) ?? (attached === undefined ? undefined : parameters.files.get(attached));
}

/** Keeps the first value of each name of a query string or a body. */
class FirstValues implements ParameterSink {
  readonly #parameters: Parameters;
  #room = MOST_PARAMETERS;

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  hasRoom(): boolean {
    this.#room -= 1;
    if (this.#room < 0) this.#parameters.overflow = true;
    return this.#room >= 0;
  }

  has(name: string): boolean {
    return this.#parameters.values.has(name);
  }

  set(name: string, value: string): void {
    this.#parameters.values.set(name, value);
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code < ZERO + 10;
}

function textReader(
  parameters: Parameters,
  limits: Limits,
  parse: (body: Buffer, values: ParameterSink) => void,
): ParameterReader {
  const text = new GrowingBytes(limits.parameterBytes);
  let bytes = 0;
  return {
    write(chunk) {
      bytes += chunk.length;
      if (bytes > limits.parameterBytes) parameters.overflow = true;
      else text.write(chunk);
    },
    // A part of it might end within a value.
    end: () => {
      if (!parameters.overflow) parse(text.bytes(), new FirstValues(parameters));
    },
    heldBytes: () => text.heldBytes(),
  };
}

function fileReader(parameters: Parameters, limits: Limits): ParameterReader {
  const content = new GrowingBytes(limits.fileBytes);
  let [bytes, kept] = [0, 0];
  return {
    write(chunk) {
      bytes += chunk.length;
      const piece = chunk.subarray(0, Math.max(0, limits.fileBytes - kept));
      if (piece.length > 0) content.write(kept === 0 ? Buffer.from(piece) : piece);
      kept += piece.length;
    },
    end: () => {
      if (bytes > 0) parameters.files.set(WHOLE_BODY, { bytes, content: content.bytes() });
    },
    heldBytes: () => content.heldBytes(),
  };
}

function multipartReader(contentType: string, parameters: Parameters, limits: Limits): ParameterReader {
  const found = multipartBoundary(contentType);
  if ('fault' in found) {
    parameters.fault = found.fault;
    return { write: () => undefined, end: () => undefined, heldBytes: () => 0 };
  }
  const ofQuery = new Map(parameters.values);
  let bytes = 0;
  let held = 0;
  const parser = multipartParser(
    found.boundary,
    { field: limits.parameterBytes, file: limits.fileBytes, headers: limits.parameterBytes },
    {
      onField(name, value) {
        if (parameters.overflow) return;
        bytes += name.length + value.length;
        held += PART_BYTES + name.length + value.length;
        if (bytes > limits.parameterBytes) parameters.overflow = true;
        else if (!parameters.values.has(name)) parameters.values.set(name, value);
      },
      onLongField() {
        parameters.overflow = true;
      },
      onTooManyFields() {
        parameters.overflow = true;
      },
      onFile(name, part) {
        held += PART_BYTES + name.length + part.content.length;
        if (!parameters.files.has(name)) parameters.files.set(name, part);
      },
    },
  );
  return {
    write: (chunk) => parser.write(chunk),
    end() {
      parser.end();
      parameters.fault = parser.fault();
      if (parameters.fault === null) return;
      parameters.values = ofQuery;
      parameters.files.clear();
    },
    heldBytes: () => held + parser.heldBytes(),
  };
}
