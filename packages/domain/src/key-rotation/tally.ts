import { isUnbound, keyIdOf, type SecretBox } from '@flotilla/runtime/secret-box.ts';

/** Where sealed texts are kept. */
export type Place = 'bot tokens' | 'secret tokens' | 'backend URLs' | 'configuration in Redis';

/**
 * How a text is sealed: `current` with the first key and for its place; `legacy` with the first key, as the previous
 * release did; `plain` not at all, likewise; `old` with another listed key; `unknown` with one that is not listed;
 * `unreadable` with a listed one that does not open it: the text was altered or moved, or the id stands for another key.
 */
export type Sealing = 'current' | 'legacy' | 'plain' | 'old' | 'unknown' | 'unreadable';

/** What must be sealed again. */
export function isOutdated(sealing: Sealing): boolean {
  return sealing === 'legacy' || sealing === 'plain' || sealing === 'old';
}

export type TallyLine = { place: Place; keyId: string; sealing: Sealing; count: number };

/** The result of one look at everything, and how much of it was sealed again. */
export type Tally = { lines: TallyLine[]; resealed: number; overtaken: number };

export function emptyTally(): Tally {
  return { lines: [], resealed: 0, overtaken: 0 };
}

export function count(tally: Tally, place: Place, keyId: string, sealing: Sealing): void {
  const known = tally.lines.find((line) => line.place === place && line.keyId === keyId && line.sealing === sealing);
  if (known) known.count += 1;
  else tally.lines.push({ place, keyId, sealing, count: 1 });
}

/** Opens a text, so that no unreadable one is counted as current. */
export function inspect(
  secrets: SecretBox,
  sealed: string,
  place: string,
): { keyId: string; sealing: Sealing; plain: string } {
  const keyId = keyIdOf(sealed);
  if (keyId === null) return { keyId: 'none', sealing: 'unreadable', plain: '' };
  if (!secrets.lists(keyId)) return { keyId, sealing: 'unknown', plain: '' };
  try {
    const plain = secrets.open(sealed, place);
    if (keyId !== secrets.keyId) return { keyId, sealing: 'old', plain };
    return { keyId, sealing: isUnbound(sealed) ? 'legacy' : 'current', plain };
  } catch {
    return { keyId, sealing: 'unreadable', plain: '' };
  }
}
