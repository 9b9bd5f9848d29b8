import { canonicalJson } from '@flotilla/runtime/canonical-json.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { Request, Response } from 'express';

type Secrets = { secrets: Pick<SecretBox, 'digest'> };

const PART_LENGTH = 22;

/** A resource as callers set it. */
export type Version = { kind: string; id: number; fields: object };

/**
 * Unset fields are left out, so that a field of a later release changes nothing. No secret can be guessed by it, nor by another
 * resource that has the guess.
 */
function digestOf({ secrets }: Secrets, { kind, id, fields }: Version): string {
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  return secrets.digest(canonicalJson([kind, id, Object.fromEntries(set)])).slice(0, PART_LENGTH);
}

/** Lets the answer have the ETag of a resource. */
export function tagAnswer(deps: Secrets, { response }: { response: Response }, version: Version): void {
  response.locals.version = digestOf(deps, version);
}

/** Throws 'precondition_failed' for a row that is not that of If-Match; undefined without the header. Call it where the row is locked. */
export function matchOf<Row>(
  deps: Secrets,
  { request: { headers } }: { request: Request },
  versionOf: (row: Row) => Version,
): ((before: Row) => void) | undefined {
  const given = headers['if-match'];
  if (given === undefined) return undefined;
  const versions = tagsOf(given).map((tag) => tag.split('.', 1)[0]);
  return (before) => {
    if (versions.includes('*') || versions.includes(digestOf(deps, versionOf(before)))) return;
    throw new FlotillaError('precondition_failed', 'Changed by somebody else meanwhile: read it again');
  };
}

/** The ETag of an answer with this text, if it has one. True if the client has this answer already. */
export function setEtag({ method, headers }: Request, response: Response, text: string): boolean {
  const { version } = response.locals;
  if (version === undefined) return false;
  const tag = `${version}.${sha256Hex(text).slice(0, PART_LENGTH)}`;
  response.setHeader('ETag', `"${tag}"`);
  return (method === 'GET' || method === 'HEAD') && tagsOf(headers['if-none-match'] ?? '').includes(tag);
}

/** A proxy that compresses answers makes their tags weak. */
function tagsOf(header: string): string[] {
  return header.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
}
