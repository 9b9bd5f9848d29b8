import { kindFacts, kindsWith, UPDATE_KINDS, type UpdateKind } from '@flotilla/contract/bot-api/update-kinds.ts';

/** The kinds that a bot receives only if it names them. */
export const ONLY_ON_DEMAND: readonly string[] = kindsWith(({ onDemand }) => onDemand === true);

/** New messages: only these are routed by rules, and only these come as albums. */
export const NEW_MESSAGE_KINDS: readonly string[] = kindsWith(({ message }) => message === 'routed');

export type AllowedUpdates = { kind: 'unchanged' } | { kind: 'default' } | { kind: 'only'; kinds: string[] };

/** The form of a name of a kind. A list of kinds is passed to scripts with commas between them. */
const KIND_NAME = /^[a-z0-9_]{1,64}$/;

/** How many unknown names are kept of one list, and for one bot. The platform itself adds a few kinds a year. */
const UNKNOWN_AT_MOST = 50;
const ASKED_FOR_AT_MOST = 200;

/**
 * Reads an `allowed_updates` parameter, as JSON text or an array, as leniently as the platform. Anything but an array
 * of strings changes nothing. Unlike at the platform, an unknown name is kept, because the platform may know it.
 */
export function parseAllowedUpdates(value: unknown): AllowedUpdates {
  const names = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return { kind: 'unchanged' };
  const wanted = new Set(names.map((name: string) => name.toLowerCase()));
  const kinds = [...UPDATE_KINDS.filter((kind) => wanted.has(kind)), ...unknownKinds(wanted)];
  return kinds.length === 0 ? { kind: 'default' } : { kind: 'only', kinds };
}

/** The names that are no kind we know, each once and only so many as a bot may name. */
export function unknownKinds(names: Iterable<string>): string[] {
  const unknown = [...new Set(names)].filter((name) => KIND_NAME.test(name) && !isKnownKind(name));
  return unknown.slice(0, UNKNOWN_AT_MOST);
}

/**
 * The kinds to ask the platform for: all kinds we know, and these as far as a request has room for them, the first ones first.
 * The platform ignores names that it does not know.
 */
export function kindsToAskFor(...others: readonly (readonly string[])[]): string[] {
  const unknown = new Set(others.flatMap((kinds) => kinds.filter((kind) => !isKnownKind(kind))));
  return [...UPDATE_KINDS, ...[...unknown].slice(0, ASKED_FOR_AT_MOST)];
}

function isKnownKind(kind: string): kind is UpdateKind {
  return kindFacts(kind) !== undefined;
}

/** True for the kinds that a reader gets if it named none; also for a kind that is too new to be known here. */
export function isDefaultKind(kind: string): boolean {
  return !ONLY_ON_DEMAND.includes(kind);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
