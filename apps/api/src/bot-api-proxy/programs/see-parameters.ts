import type { IncomingMessage, ServerResponse } from 'node:http';
import { type SeenParameters, TOO_MANY_ELEMENTS } from '@flotilla/domain/delivery/programs/check-call.ts';
import { elementsAtMost, MOST_ELEMENTS } from '@flotilla/telegram/canonical-json.ts';
import { parameterCollector } from '@flotilla/telegram/parameters/collect-parameters.ts';
import { multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import { parseJsonParameters } from '@flotilla/telegram/parameters/parse-json-parameters.ts';
import { parseUrlEncoded } from '@flotilla/telegram/parameters/parse-urlencoded.ts';
import { type BodyBudget, collectBody, shareOf } from '../../http/collect-body.ts';
import { cutLateBody } from '../../http/known-sender.ts';
import { NO_ROOM, type Refusal, TOO_LARGE } from '../answer.ts';
import type { MethodCall } from '../call.ts';
import { hasBody, hasWholeBody, isCompressed } from '../headers.ts';

/** A form with files, of which the part before the first file was read. `release` gives that part's bytes back to the budget. */
export type BegunForm = { boundary: string; release: () => void };
/** `form`: is still to be sent; null if all was read. */
export type Seen =
  | { outcome: 'seen'; parameters: SeenParameters; form: BegunForm | null }
  | { outcome: 'unreadable'; reason: string }
  | { outcome: 'refused'; refusal: Refusal }
  | { outcome: 'aborted' };

type Collector = ReturnType<typeof parameterCollector>;

/** The platform's own limit on what a call may carry beside its files. */
export const PARAMETERS_BYTES = 1024 * 1024;
/** Why a call with more parameters than are read is refused. */
export const TOO_MANY = 'it has too many parameters';
const CONTENT_TYPE = 'content-type';
const FORM = /^multipart\/form-data;\s*(?:charset=utf-8;\s*)?boundary=(?:"([^";\\]{1,100})"|([^\s;",\\]{1,100}))$/i;

/**
 * Reads the parameters of a call: query string, JSON, urlencoded form, or the parts of a form before its first file, at
 * most 1 MiB. Returns a promise only if the body has not come yet.
 */
export function seeParameters(budget: BodyBudget, call: MethodCall): Seen | Promise<Seen> {
  const { req, res, path, whole } = call;
  const seen = parameterCollector();
  if (path.query !== '') parseUrlEncoded(Buffer.from(path.query, 'latin1'), seen);
  if (seen.isFull()) return unreadable(TOO_MANY);
  if (!hasBody(req)) return { outcome: 'seen', parameters: seen.values, form: null };
  if (isCompressed(req.headers['content-encoding'])) return unreadable('its body is compressed');
  const form = hasOneType(req.rawHeaders) ? formOf(req.headers['content-type'] ?? '') : null;
  if (form === null) return unreadable('its Content-Type is not one that a call may have');
  if (form === 'multipart') return seeForm(budget, call, seen);
  if (whole !== null) return seeText(form, whole.bytes, seen);
  if (req.destroyed || res.closed) return { outcome: 'aborted' };
  if (!hasWholeBody(req)) return seeLater(budget, call, form, seen);
  // A body that arrived whole is no larger than a stream's own buffer, so it does not count towards the budget.
  return seeText(form, (req.read() as Buffer | null) ?? Buffer.alloc(0), seen);
}

async function seeLater(
  budget: BodyBudget,
  { req, res }: MethodCall,
  form: 'urlencoded' | 'json',
  seen: Collector,
): Promise<Seen> {
  const body = await collectBody(req, res, { budget, limitBytes: PARAMETERS_BYTES });
  return body.outcome === 'read' ? seeText(form, body.bytes, seen) : notRead(body.outcome);
}

function seeText(form: 'urlencoded' | 'json', bytes: Buffer, seen: Collector): Seen {
  if (form === 'json') {
    const text = bytes.toString('utf8');
    if (elementsAtMost(text) > MOST_ELEMENTS) return unreadable(TOO_MANY_ELEMENTS);
    if (!isObject(text)) return unreadable('its JSON is malformed');
    parseJsonParameters(bytes, seen);
  } else parseUrlEncoded(bytes, seen);
  if (seen.isFull()) return unreadable(TOO_MANY);
  return { outcome: 'seen', parameters: seen.values, form: null };
}

/** Node shows the first of two types, and the platform would get both. */
function hasOneType(rawHeaders: readonly string[]): boolean {
  let types = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === CONTENT_TYPE.length && name.toLowerCase() === CONTENT_TYPE) types += 1;
  }
  return types === 1;
}

function formOf(contentType: string): 'multipart' | 'urlencoded' | 'json' | null {
  const forms = [
    ['multipart', /multipart\/form-data/i],
    ['urlencoded', /application\/x-www-form-urlencoded/i],
    ['json', /application\/json/i],
  ] as const;
  const [form, another] = forms.filter(([, pattern]) => pattern.test(contentType));
  return form === undefined || another !== undefined ? null : form[0];
}

async function seeForm(budget: BodyBudget, { req, res, whole }: MethodCall, seen: Collector): Promise<Seen> {
  const boundary = plainBoundary(req.headers['content-type'] ?? '');
  if (boundary === null) return unreadable('the boundary of its form is missing or unusual');
  let [file, long, cut, many] = [false, false, false, false];
  const parser = multipartParser(
    boundary,
    { field: PARAMETERS_BYTES, file: 0 },
    {
      onField: (name, value) => {
        if (!file) seen.set(name, value);
      },
      onLongField: () => {
        long = true;
      },
      onTooManyFields: () => {
        many = true;
      },
      onHeaders: (headers) => {
        cut ||= headers === null;
      },
      onFile: () => undefined,
      streamFile: () => {
        file = true;
        return () => undefined;
      },
    },
  );
  const isEnough = (chunk: Buffer) => {
    parser.write(chunk);
    return file || long || cut || many;
  };
  const head = whole === null ? await readHead(budget, req, res, isEnough) : WHOLE;
  if (whole !== null) isEnough(whole.bytes);
  if (head.outcome !== 'read') return notRead(head.outcome);
  if (many) {
    req.resume();
    return unreadable(TOO_MANY);
  }
  if (file) return { outcome: 'seen', parameters: seen.values, form: { boundary, release: head.release } };
  req.resume();
  if (long) return notRead('too-large');
  if (cut) return unreadable('the headers of a part of its form are too long');
  if (!parser.isClosed()) return unreadable('its form has no end');
  return { outcome: 'seen', parameters: seen.values, form: null };
}

type Head = { outcome: 'read'; release: () => void } | { outcome: 'too-large' | 'no-room' | 'aborted' };

/** Its share of the budget is that of the whole body. */
const WHOLE: Head = { outcome: 'read', release: () => undefined };

/**
 * Reads a body until `isEnough`, or to its end. What was read of an unfinished body is put back for its next reader; it is held
 * until the call goes on, and its share of the budget is kept until `release`.
 */
function readHead(
  budget: BodyBudget,
  req: IncomingMessage,
  res: ServerResponse,
  isEnough: (chunk: Buffer) => boolean,
): Promise<Head> {
  const share = shareOf(budget, res);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (head: Head) => {
      stopWatching();
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      if (head.outcome !== 'read') {
        share.release();
        req.resume();
      }
      resolve(head);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (!share.growTo(bytes)) return finish({ outcome: 'no-room' });
      const enough = isEnough(chunk);
      if (!enough && bytes > PARAMETERS_BYTES) return finish({ outcome: 'too-large' });
      if (!enough) return;
      req.pause();
      finish({ outcome: 'read', release: share.release });
      req.unshift(Buffer.concat(chunks));
    };
    const onEnd = () => finish({ outcome: 'read', release: share.release });
    const onClose = () => finish({ outcome: 'aborted' });
    const stopWatching = cutLateBody(req, () => bytes);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** The boundary of a form whose type every server reads in the same way; null for another. */
function plainBoundary(contentType: string): string | null {
  const found = FORM.exec(contentType.trim());
  return found?.[1] ?? found?.[2] ?? null;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function unreadable(reason: string): Seen {
  return { outcome: 'unreadable', reason };
}

function notRead(outcome: 'too-large' | 'no-room' | 'unknown-encoding' | 'aborted'): Seen {
  if (outcome === 'aborted') return { outcome };
  if (outcome === 'unknown-encoding') return unreadable('its body is compressed');
  return { outcome: 'refused', refusal: outcome === 'too-large' ? TOO_LARGE : NO_ROOM };
}
