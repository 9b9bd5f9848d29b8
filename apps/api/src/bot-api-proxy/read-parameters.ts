import type { IncomingMessage } from 'node:http';
import { CERTIFICATE_BYTES_AT_MOST } from '@flotilla/domain/fleet/backend-policy/backend-certificate.ts';
import { type Parameters, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import { type BodyBudget, collectBody, readInto } from '../http/collect-body.ts';
import { knownSender } from '../http/known-sender.ts';
import { badRequest, NO_ROOM, type Refusal, TOO_LARGE } from './answer.ts';
import type { MethodCall, WholeBody } from './call.ts';
import { bodyCoding, contentType } from './headers.ts';

type NotRead = { outcome: 'refused'; refusal: Refusal } | { outcome: 'unknown-encoding' } | { outcome: 'aborted' };
export type ReadParameters = { outcome: 'read'; parameters: Parameters; release: () => void } | NotRead;
export type MethodInBody = { outcome: 'named'; method: string; whole: WholeBody } | NotRead;

/** The platform's own limit on what a call may carry beside its files. */
const PARAMETERS_LIMIT = 1024 * 1024;
/** One byte more than a certificate may have is enough to refuse it. */
const FILE_LIMIT = CERTIFICATE_BYTES_AT_MOST + 1;
/** The largest call of a stranger is a setWebhook with a certificate. */
const BODY_LIMIT: Record<'known' | 'stranger', number> = { known: 16 * 1024 * 1024, stranger: 256 * 1024 };
/** The platform's words, which also have a number. */
const BROKEN_COMPRESSION = badRequest('zlib error');
/** Calls that are answered or refused here are short. */
const UNNAMED_LIMIT: Record<'known' | 'stranger', number> = { known: 1024 * 1024, stranger: 64 * 1024 };

/**
 * Reads the whole request of a call that we answer ourselves: parameters of query and body merged, the query first.
 * Limits: 1 MiB of parameters, 64 KiB of each file, 16 MiB in all (256 KiB and 8 s for a stranger). `aborted` means that
 * the client went away. What the platform could not read is refused in its words.
 */
export async function readParameters(budget: BodyBudget, { req, res, path }: MethodCall): Promise<ReadParameters> {
  const packed = bodyCoding(req);
  if (packed === null) return { outcome: 'unknown-encoding' };
  const parameters = parametersOf(path.query);
  const limits = { parameterBytes: PARAMETERS_LIMIT, fileBytes: FILE_LIMIT };
  const reader = parameterReader(contentType(req), parameters, limits);
  const read = await readInto(reader, req, res, { budget, limitBytes: BODY_LIMIT[kindOf(req)], packed });
  if (read.outcome !== 'read') return notRead(read.outcome);
  if (!read.intact) return { outcome: 'refused', refusal: BROKEN_COMPRESSION };
  reader.end();
  const refusal = refusalOf(parameters);
  return refusal === null ? { outcome: 'read', parameters, release: read.release } : { outcome: 'refused', refusal };
}

/**
 * The method that a body names, as it is spelled; '' if it names none. It reads the whole body: up to 1 MiB for a
 * registered bot, 64 KiB for a stranger. A compressed body is refused, because it would be in memory twice; no client
 * sends one.
 */
export async function methodInBody(budget: BodyBudget, { req, res, path }: MethodCall): Promise<MethodInBody> {
  const packed = bodyCoding(req);
  if (packed !== 'none') return { outcome: 'unknown-encoding' };
  const body = await collectBody(req, res, { budget, limitBytes: UNNAMED_LIMIT[kindOf(req)], packed });
  if (body.outcome !== 'read') return notRead(body.outcome);
  const parameters = parametersIn(req, path.query, body.bytes);
  const refusal = refusalOf(parameters);
  if (refusal !== null) return { outcome: 'refused', refusal };
  const method = parameters.values.get('method') ?? '';
  return { outcome: 'named', method, whole: { bytes: body.bytes, release: body.release } };
}

function kindOf(req: IncomingMessage): 'known' | 'stranger' {
  return knownSender(req) === null ? 'stranger' : 'known';
}

/** The parameters of a call without a body. */
export function parametersOfQuery({ path }: MethodCall): ReadParameters {
  const parameters = parametersOf(path.query);
  const refusal = refusalOf(parameters);
  return refusal === null ? { outcome: 'read', parameters, release: () => undefined } : { outcome: 'refused', refusal };
}

/** The parameters of a query string and of a body that was read whole. */
export function parametersIn(req: IncomingMessage, query: string, body: Buffer): Parameters {
  const parameters = parametersOf(query);
  const limits = { parameterBytes: body.length, fileBytes: body.length };
  const reader = parameterReader(contentType(req), parameters, limits);
  reader.write(body);
  reader.end();
  return parameters;
}

function notRead(outcome: 'too-large' | 'no-room' | 'unknown-encoding' | 'aborted'): NotRead {
  if (outcome === 'too-large') return { outcome: 'refused', refusal: TOO_LARGE };
  if (outcome === 'no-room') return { outcome: 'refused', refusal: NO_ROOM };
  return { outcome };
}

function refusalOf({ overflow, fault }: Parameters): Refusal | null {
  if (fault !== null) return { ok: false, ...fault };
  return overflow ? TOO_LARGE : null;
}
