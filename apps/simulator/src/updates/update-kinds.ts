import { kindsWith, UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';

const ASKED_FOR_ONLY: ReadonlySet<string> = new Set(kindsWith(({ onDemand }) => onDemand === true));
const KNOWN: ReadonlySet<string> = new Set(UPDATE_KINDS);

/** null is the default set: all kinds except the three that a bot must request (Client.h:1456-1459). */
export type AllowedUpdates = ReadonlySet<string> | null;

/** Unknown kinds pass the default filter, as new kinds of the platform would. */
export function allowsKind(allowed: AllowedUpdates, kind: string): boolean {
  return allowed === null ? !ASKED_FOR_ONLY.has(kind) : allowed.has(kind) || !KNOWN.has(kind);
}

/** Parses allowed_updates as Client.cpp:16889-16946 does: an invalid value leaves the stored one unchanged. */
export function readAllowedUpdates(raw: string, current: AllowedUpdates): AllowedUpdates {
  if (raw === '') return current;
  let names: unknown;
  try {
    names = JSON.parse(raw);
  } catch {
    return current;
  }
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) return current;
  const known = (names as string[]).map((name) => name.toLowerCase()).filter((name) => KNOWN.has(name));
  if (known.length === 0) return null;
  const chosen = new Set(known);
  return isDefaultSet(chosen) ? null : chosen;
}

function isDefaultSet(chosen: ReadonlySet<string>): boolean {
  return UPDATE_KINDS.every((kind) => chosen.has(kind) !== ASKED_FOR_ONLY.has(kind));
}
