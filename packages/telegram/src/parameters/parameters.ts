import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { type FilePart, multipartBoundary, multipartParser } from './multipart-parser.ts';
import { parseJsonParameters } from './parse-json-parameters.ts';
import { parseUrlEncoded } from './parse-urlencoded.ts';

/** A call's parameters, merged from the query string (which wins) and the body in any of its shapes. */
export type Parameters = {
  values: Map<string, string>;
  files: Map<string, FilePart>;
  /** Whether the body was longer than what is read of it. */
  overflow: boolean;
};

export type ParameterReader = {
  write(chunk: Buffer): void;
  end(): void;
  /** What was read so far takes in memory, about. */
  heldBytes(): number;
};

const NOTHING_TO_READ: ParameterReader = { write: () => undefined, end: () => undefined, heldBytes: () => 0 };
/** What a part takes beside its name and its content. */
const PART_BYTES = 200;

type Limits = { parameterBytes: number; fileBytes: number };

/** Parameters that begin with those of a query string, whose characters are bytes, as Node gives them. */
export function parametersOf(query: string): Parameters {
  const parameters: Parameters = { values: new Map(), files: new Map(), overflow: false };
  if (query !== '') parseUrlEncoded(textOf(query), parameters.values);
  return parameters;
}

/**
 * Adds a body's parameters to `parameters`, chunk by chunk, holding at most `limits`. A body that is no form and no
 * JSON has none, as at the platform; a malformed one keeps what was read.
 */
export function parameterReader(contentType: string, parameters: Parameters, limits: Limits): ParameterReader {
  if (/multipart\/form-data/i.test(contentType)) return multipartReader(contentType, parameters, limits);
  if (/application\/x-www-form-urlencoded/i.test(contentType)) return textReader(parameters, limits, parseUrlEncoded);
  if (/application\/json/i.test(contentType)) return textReader(parameters, limits, parseJsonParameters);
  return NOTHING_TO_READ;
}

/** An integer as the platform reads it: optional minus, leading digits, 0 for anything else; absent when empty. */
export function integerParameter(parameters: Parameters, name: string, absent: number): number {
  const text = parameters.values.get(name);
  if (text === undefined || text === '') return absent;
  return Number(/^-?\d{1,15}/.exec(text)?.[0] ?? 0);
}

/** A switch as the platform reads it: true, yes or 1. */
export function switchParameter(parameters: Parameters, name: string): boolean {
  return /^\s*(true|yes|1)\s*$/i.test(parameters.values.get(name) ?? '');
}

/** The file part of that name, or the one that `attach://…` points to. */
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
