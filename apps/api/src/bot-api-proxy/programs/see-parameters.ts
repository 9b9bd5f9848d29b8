import type { IncomingMessage, ServerResponse } from 'node:http';
import { parameterCollector } from '@flotilla/telegram/parameters/collect-parameters.ts';
import { multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import { parseJsonParameters } from '@flotilla/telegram/parameters/parse-json-parameters.ts';
import { parseUrlEncoded } from '@flotilla/telegram/parameters/parse-urlencoded.ts';
import { type BodyBudget, collectBody, shareOf } from '../../http/collect-body.ts';
import { NO_ROOM, type Refusal, TOO_LARGE } from '../answer.ts';
import type { MethodCall, WholeBody } from '../call.ts';
import { hasBody, hasWholeBody, isCompressed } from '../headers.ts';
import type { SeenParameters } from './judge-chats.ts';

/** `whole`: the body, if all of it was read. Null: it has none, or it is a form whose rest will be streamed. */
export type Seen =
  | { outcome: 'seen'; parameters: SeenParameters; whole: WholeBody | null; boundary: string | null }
  | { outcome: 'unreadable'; reason: string }
  | { outcome: 'refused'; refusal: Refusal }
  | { outcome: 'aborted' };

type Collector = ReturnType<typeof parameterCollector>;

const LIMIT_BYTES = 1024 * 1024;
const STREAMED_FIELD_BYTES = 64 * 1024;
const HEAD_WITHIN_MS = 8_000;
const CONTENT_TYPE = 'content-type';
const FORM = /^multipart\/form-data;\s*(?:charset=utf-8;\s*)?boundary=(?:"([^";\\]{1,100})"|([^\s;",\\]{1,100}))$/i;
// grammY does not quote the name of a file, which may have spaces. With a second "=", some server might find a name in it.
const DISPOSITION =
  /^content-disposition:\s*form-data;\s*name=(?:"[\w.-]+"|[\w.-]+)(?:;\s*filename=(?:"[^"]*"|[^\s";]+|[^";=\r\n]+))?(?:;\s*filename\*=[^\s";]+)?$/i;
const OTHER = /^(?:content-type|content-length|content-transfer-encoding):[^:\r\n]*$/i;

/**
 * Reads the parameters of a call that decide which chats it touches: query string, JSON, urlencoded form, or the parts
 * of a form before its first file, at most 1 MiB. What two servers might read differently is unreadable. Returns a
 * promise only if the body has not come yet.
 */
export function seeParameters(budget: BodyBudget, call: MethodCall): Seen | Promise<Seen> {
  const { req, res, path } = call;
  const seen = parameterCollector();
  if (path.query !== '') parseUrlEncoded(Buffer.from(path.query, 'latin1').toString('utf8'), seen);
  if (!hasBody(req)) return { outcome: 'seen', parameters: seen.values, whole: null, boundary: null };
  if (isCompressed(req.headers['content-encoding'])) return unreadable('its body is compressed');
  const form = hasOneType(req.rawHeaders) ? formOf(req.headers['content-type'] ?? '') : null;
  if (form === null) return unreadable('its Content-Type is not one that a call may have');
  if (form === 'multipart') return seeForm(budget, req, res, seen);
  if (req.destroyed || res.closed) return { outcome: 'aborted' };
  if (!hasWholeBody(req)) return seeLater(budget, call, form, seen);
  // A body that arrived whole is no larger than a stream's own buffer, so it does not count towards the budget.
  const bytes = (req.read() as Buffer | null) ?? Buffer.alloc(0);
  return seeText(form, { bytes, release: () => undefined }, seen);
}

async function seeLater(
  budget: BodyBudget,
  { req, res }: MethodCall,
  form: 'urlencoded' | 'json',
  seen: Collector,
): Promise<Seen> {
  const body = await collectBody(req, res, { budget, sender: 'known', limitBytes: LIMIT_BYTES });
  if (body.outcome !== 'read') return notRead(body.outcome);
  return seeText(form, { bytes: body.bytes, release: body.release }, seen);
}

function seeText(form: 'urlencoded' | 'json', whole: WholeBody, seen: Collector): Seen {
  const text = whole.bytes.toString('utf8');
  if (form === 'json' && !isObject(text)) return unreadable('its JSON is malformed');
  if (form === 'json') parseJsonParameters(text, seen);
  else parseUrlEncoded(text, seen);
  return { outcome: 'seen', parameters: seen.values, whole, boundary: null };
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

async function seeForm(budget: BodyBudget, req: IncomingMessage, res: ServerResponse, seen: Collector): Promise<Seen> {
  const boundary = plainBoundary(req.headers['content-type'] ?? '');
  if (boundary === null) return unreadable('the boundary of its form is missing or unusual');
  let file = false;
  let isPlain = true;
  const parser = multipartParser(
    boundary,
    { field: LIMIT_BYTES, file: 0 },
    {
      onField: (name, value) => {
        if (!file) seen.set(name, value);
      },
      onFile: () => undefined,
      onHeaders: (headers) => {
        isPlain &&= isPlainPart(headers);
      },
      streamFile: () => {
        file = true;
        return () => undefined;
      },
    },
  );
  const head = await readHead(budget, req, res, (chunk) => {
    parser.write(chunk);
    return file || !isPlain;
  });
  if (head.outcome !== 'read') return notRead(head.outcome);
  // Text before the first boundary is not of the form, but servers look for its end in different ways.
  if (!isPlain || !head.bytes.toString('latin1', 0, boundary.length + 2).startsWith(`--${boundary}`)) {
    head.release();
    req.resume();
    return unreadable('a part of its form has unusual headers');
  }
  if (!head.ended) return { outcome: 'seen', parameters: seen.values, whole: null, boundary };
  parser.end();
  const whole = { bytes: head.bytes, release: head.release };
  return { outcome: 'seen', parameters: seen.values, whole, boundary: null };
}

type Head =
  | { outcome: 'read'; ended: boolean; bytes: Buffer; release: () => void }
  | { outcome: 'too-large' | 'no-room' | 'aborted' };

/** Reads a body until `isEnough`, or to its end. What was read of an unfinished body is put back for its next reader. */
function readHead(
  budget: BodyBudget,
  req: IncomingMessage,
  res: ServerResponse,
  isEnough: (chunk: Buffer) => boolean,
): Promise<Head> {
  const share = shareOf(budget, 'known', res);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (head: Head) => {
      clearTimeout(deadline);
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
      if (!enough && bytes > LIMIT_BYTES) return finish({ outcome: 'too-large' });
      if (!enough) return;
      req.pause();
      finish({ outcome: 'read', ended: false, bytes: Buffer.concat(chunks), release: share.release });
      req.unshift(Buffer.concat(chunks));
      share.release();
    };
    const onEnd = () => finish({ outcome: 'read', ended: true, bytes: Buffer.concat(chunks), release: share.release });
    const onClose = () => finish({ outcome: 'aborted' });
    const deadline = setTimeout(() => req.destroy(), HEAD_WITHIN_MS);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/**
 * Checks the parts of a form that are streamed after the call was judged. False once one would change the judgement and
 * our query string cannot overrule it.
 */
export function formGuard(boundary: string, allows: (reply: string) => boolean): (chunk: Buffer) => boolean {
  let isSound = true;
  const parser = multipartParser(
    boundary,
    { field: STREAMED_FIELD_BYTES, file: 0 },
    {
      onHeaders: (headers) => {
        isSound &&= isPlainPart(headers);
      },
      onField: (name, value) => {
        if (name === 'reply_parameters' && !allows(value)) isSound = false;
      },
      onLongField: (name) => {
        if (name === 'reply_parameters') isSound = false;
      },
      onFile: (name) => {
        if (name === 'reply_parameters') isSound = false;
      },
      streamFile: () => () => undefined,
    },
  );
  return (chunk) => {
    parser.write(chunk);
    return isSound;
  };
}

/** The boundary of a form whose type every server reads in the same way; null for another. */
function plainBoundary(contentType: string): string | null {
  const found = FORM.exec(contentType.trim());
  return found?.[1] ?? found?.[2] ?? null;
}

/** Whether every server reads the same name in the headers of a part. Clients send no others. */
function isPlainPart(headers: string | null): boolean {
  if (headers === null || headers.includes('\\')) return false;
  const [lines, dispositions] = [headers.split('\r\n').slice(1), headers.match(/content-disposition/gi) ?? []];
  const isKnown = lines.every((line) => DISPOSITION.test(line.trimEnd()) || OTHER.test(line));
  return headers.startsWith('\r\n') && isKnown && dispositions.length === 1;
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
