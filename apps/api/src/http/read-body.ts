import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import express, { type Request, type Response } from 'express';
import { scanJson } from './scan-json.ts';

const MAX_BODY_BYTES = 1_048_576;
const MAX_FORM_FIELDS = 2000;
const BODY_DEADLINE_MS = 9_000;

const readRaw = express.raw({ type: () => true, limit: MAX_BODY_BYTES });

/**
 * The fields of a POST's body: JSON or urlencoded, at most 1 MiB, within 9 s; no body has no fields.
 * Throws FlotillaError: 'unsupported_media_type' or 'bad_request'; 413 comes from the reader.
 */
export async function readBody(request: Request, response: Response): Promise<Map<string, unknown>> {
  const bytes = await readBytes(request, response);
  if (bytes.length === 0) return new Map();
  const text = decodeUtf8(bytes);
  switch (mediaType(request)) {
    case 'application/json':
      return new Map(Object.entries(parseJson(text)));
    case 'application/x-www-form-urlencoded':
      return formFields(text, 'body');
    default:
      throw new FlotillaError(
        'unsupported_media_type',
        'The body must be JSON or urlencoded, and say so in Content-Type',
      );
  }
}

/** Fields of a query string or an urlencoded body; a repeated one becomes a list. Throws for more than 2000. */
export function formFields(text: string, place: 'query' | 'body'): Map<string, unknown> {
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

/** A body of at most 1 MiB, within 9 s; none is empty. A longer one rejects with what the error handler makes a 413. */
export async function readBytes(request: Request, response: Response): Promise<Buffer> {
  const deadline = setTimeout(() => request.destroy(), BODY_DEADLINE_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      readRaw(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  } finally {
    clearTimeout(deadline);
  }
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
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

function parseJson(text: string): object {
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
