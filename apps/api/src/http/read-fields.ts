import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '@flotilla/contract/operation.ts';
import { type FaultDetail, FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request, Response } from 'express';
import { type BodyBudget, collectBody } from './collect-body.ts';
import type { IncomingFile } from './incoming-file.ts';
import { readForm } from './read-form.ts';
import { scanJson } from './scan-json.ts';

/** The raw inputs under their main names, and the faults of the names themselves. */
export interface RawFields {
  values: Map<string, unknown>;
  faults: FaultDetail[];
  /** The file of a form; whoever reads the fields must read or destroy it. */
  file: IncomingFile | null;
}

const MAX_FAULTS = 20;
const MAX_NAME_LENGTH = 64;
/** The name in the error for a value without a name: `?=1`. */
const NAMELESS = '""';

/**
 * Collects an operation's inputs from query and body; if a name is in both, the body counts. Query parameters that
 * begin with `_` are ignored, because caches and clients add them.
 */
export async function readFields(
  budget: BodyBudget,
  operation: Operation,
  request: Request,
  response: Response,
): Promise<RawFields> {
  const fields: RawFields = { values: new Map(), faults: [], file: null };
  const query = formFields(queryOf(request), 'query');
  takeKnown(operation, new Map([...query].filter(([name]) => !name.startsWith('_'))), fields);
  if (operation.method === 'GET') return fields;
  if (operation.file !== undefined && mediaType(request) === 'multipart/form-data') {
    const form = await readForm(request, response, budget, operation.file.limitBytes);
    fields.file = form.file;
    takeKnown(operation, form.fields, fields);
    return fields;
  }
  const limitBytes = operation.bodyLimitBytes ?? MAX_BODY_BYTES;
  takeKnown(operation, await readBody({ request, response, budget, limitBytes }), fields);
  return fields;
}

function queryOf(request: Request): string {
  const at = request.url.indexOf('?');
  return at < 0 ? '' : request.url.slice(at + 1);
}

function takeKnown(operation: Operation, given: Map<string, unknown>, fields: RawFields): void {
  const { input, aliases = {}, readOnlyFields = [] } = operation;
  for (const [name, value] of given) {
    const proper = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    if (Object.hasOwn(input.shape, proper)) {
      if (proper !== name && given.has(proper) && !isSameInput(given.get(proper), value)) {
        addFault(fields, name, `contradicts ${proper}`);
      } else fields.values.set(proper, value);
    } else if (!readOnlyFields.includes(name)) addFault(fields, name, 'is not a field of this call');
  }
}

/** A number and its digits are the same; an object has no text of its own (`{"toString":null}`). */
function isSameInput(one: unknown, other: unknown): boolean {
  if (typeof one === 'object' || typeof other === 'object') return isDeepStrictEqual(one, other);
  return String(one) === String(other);
}

function addFault(fields: RawFields, name: string, reason: string): void {
  const path = name === '' ? NAMELESS : name.slice(0, MAX_NAME_LENGTH);
  if (fields.faults.length < MAX_FAULTS) fields.faults.push({ path, reason });
}

export const MAX_BODY_BYTES = 1_048_576;
const MAX_FORM_FIELDS = 2000;
const RETRY_AFTER_S = 1;
const JSON_AS_FORM = 'The body looks like JSON: send it with Content-Type: application/json';

/** A request whose body is to be read, and its limits. */
export interface BodyRequest {
  request: Request;
  response: Response;
  budget: BodyBudget;
  limitBytes: number;
}

/**
 * The fields of a POST's body: JSON or urlencoded; no body has no fields. Throws FlotillaError as
 * `readBytes` does, 'unsupported_media_type' or 'bad_request'.
 */
async function readBody(from: BodyRequest): Promise<Map<string, unknown>> {
  const bytes = await readBytes(from);
  if (bytes.length === 0) return new Map();
  const text = decodeUtf8(bytes);
  switch (mediaType(from.request)) {
    case 'application/json':
      return new Map(Object.entries(parseJson(text)));
    case 'application/x-www-form-urlencoded':
      // curl sends it so without a header. Its only name would be the whole text, and an error would show its secrets.
      if (text.trimStart().startsWith('{')) throw new FlotillaError('bad_request', JSON_AS_FORM);
      return formFields(text, 'body');
    default:
      throw new FlotillaError(
        'unsupported_media_type',
        'The body must be JSON or urlencoded, and say so in Content-Type',
      );
  }
}

/** Fields of a query string or an urlencoded body; a repeated one becomes a list. Throws for more than 2000. */
function formFields(text: string, place: 'query' | 'body'): Map<string, unknown> {
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS) {
    const reason = `has more than ${MAX_FORM_FIELDS} fields`;
    throw new FlotillaError('bad_request', `The ${place} ${reason}`, { details: [{ path: place, reason }] });
  }
  const fields = new Map<string, unknown>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return fields;
}

/**
 * A request's body, decompressed; no body is an empty one. Throws FlotillaError: 'payload_too_large',
 * 'unsupported_media_type' for an encoding, 'bad_request' for a broken body, 'unavailable' if the budget is used up.
 */
export async function readBytes({ request, response, ...options }: BodyRequest): Promise<Buffer> {
  const body = await collectBody(request, response, options);
  switch (body.outcome) {
    case 'read':
      if (body.intact) return body.bytes;
      throw new FlotillaError('bad_request', 'The request could not be read');
    case 'too-large':
      throw new FlotillaError('payload_too_large', `The body is larger than ${inWords(options.limitBytes)}`);
    case 'unknown-encoding':
      throw new FlotillaError('unsupported_media_type', 'The body has an encoding that is not accepted');
    case 'no-room':
      throw new FlotillaError('unavailable', 'Too many requests are being read at the moment; try again shortly', {
        retryAfterS: RETRY_AFTER_S,
      });
    case 'aborted':
      throw new FlotillaError('bad_request', 'The request ended before its body was complete');
  }
}

function inWords(bytes: number): string {
  return bytes < MAX_BODY_BYTES ? `${bytes / 1024} KiB` : `${bytes / MAX_BODY_BYTES} MiB`;
}

function mediaType(request: Request): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return isUtf8 ? type.trim() : 'another charset';
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FlotillaError('bad_request', 'The body is not UTF-8');
  }
}

export function parseJson(text: string): object {
  const unfit = scanJson(text);
  if (unfit !== null) throw new FlotillaError('bad_request', `The body ${unfit}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FlotillaError('bad_request', 'The body is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new FlotillaError('bad_request', 'The body must be a JSON object');
}
