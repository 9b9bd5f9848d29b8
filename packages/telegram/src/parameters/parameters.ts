import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { type FilePart, multipartBoundary, multipartParser } from './multipart-parser.ts';
import { parseJsonParameters } from './parse-json-parameters.ts';
import { parseUrlEncoded } from './parse-urlencoded.ts';

/** A call's parameters, merged from the query string, which wins, and the body in any of its forms. */
export type Parameters = {
  values: Map<string, string>;
  files: Map<string, FilePart>;
  /** True if the body was longer than the part that is read. */
  overflow: boolean;
};

export type ParameterReader = {
  write(chunk: Buffer): void;
  end(): void;
  /** The approximate memory of what was read so far, in bytes. */
  heldBytes(): number;
};

const NOTHING_TO_READ: ParameterReader = { write: () => undefined, end: () => undefined, heldBytes: () => 0 };
/** The memory that a part takes besides its name and content. */
const PART_BYTES = 200;

type Limits = { parameterBytes: number; fileBytes: number };

/** Parameters of a query string. Each of its characters is a byte, as Node gives them. */
export function parametersOf(query: string): Parameters {
  const parameters: Parameters = { values: new Map(), files: new Map(), overflow: false };
  if (query !== '') parseUrlEncoded(textOf(query), parameters.values);
  return parameters;
}

/**
 * Adds a body's parameters to `parameters`, chunk by chunk, holding at most `limits`. A body that is neither a form nor
 * JSON has none, as at the platform. A malformed body keeps the parameters before the fault.
 */
export function parameterReader(contentType: string, parameters: Parameters, limits: Limits): ParameterReader {
  if (/multipart\/form-data/i.test(contentType)) return multipartReader(contentType, parameters, limits);
  if (/application\/x-www-form-urlencoded/i.test(contentType)) return textReader(parameters, limits, parseUrlEncoded);
  if (/application\/json/i.test(contentType)) return textReader(parameters, limits, parseJsonParameters);
  return NOTHING_TO_READ;
}

/** An integer as the platform reads it: an optional minus and leading digits, else 0; `absent` when it is empty. */
export function integerParameter(parameters: Parameters, name: string, absent: number): number {
  const text = parameters.values.get(name);
  if (text === undefined || text === '') return absent;
  return Number(/^-?\d{1,15}/.exec(text)?.[0] ?? 0);
}

/** A switch as the platform reads it: true, yes or 1. */
export function switchParameter(parameters: Parameters, name: string): boolean {
  return /^\s*(true|yes|1)\s*$/i.test(parameters.values.get(name) ?? '');
}

/** The file part of that name, or the part that `attach://…` names. */
export function fileParameter(parameters: Parameters, name: string): FilePart | undefined {
  const attached = /^attach:\/\/(.+)$/.exec(parameters.values.get(name) ?? '')?.[1];
  return parameters.files.get(name) ?? (attached === undefined ? undefined : parameters.files.get(attached));
}

function textOf(query: string): string {
  return /[\u0080-\u00ff]/.test(query) ? Buffer.from(query, 'latin1').toString('utf8') : query;
}

function textReader(
  parameters: Parameters,
  limits: Limits,
  parse: (text: string, values: Map<string, string>) => void,
): ParameterReader {
  const text = new GrowingBytes(limits.parameterBytes);
  let room = limits.parameterBytes;
  return {
    write(chunk) {
      if (chunk.length > room) parameters.overflow = true;
      if (room > 0) text.write(chunk.length > room ? chunk.subarray(0, room) : chunk);
      room -= Math.min(chunk.length, room);
    },
    end: () => parse(text.bytes().toString('utf8'), parameters.values),
    heldBytes: () => text.heldBytes(),
  };
}

function multipartReader(contentType: string, parameters: Parameters, limits: Limits): ParameterReader {
  const boundary = multipartBoundary(contentType);
  if (boundary === null) return NOTHING_TO_READ;
  let bytes = 0;
  let held = 0;
  const parser = multipartParser(
    boundary,
    { field: limits.parameterBytes, file: limits.fileBytes },
    {
      onField(name, value) {
        bytes += name.length + value.length;
        held += PART_BYTES + name.length + value.length;
        if (bytes > limits.parameterBytes) parameters.overflow = true;
        else if (!parameters.values.has(name)) parameters.values.set(name, value);
      },
      onFile(name, part) {
        held += PART_BYTES + name.length + part.content.length;
        if (!parameters.files.has(name)) parameters.files.set(name, part);
      },
    },
  );
  return { ...parser, heldBytes: () => held + parser.heldBytes() };
}
