import { keyIdOf, type SecretBox } from '@flotilla/runtime/secret-box.ts';

/** Where sealed texts are kept. */
export type Place = 'bot tokens' | 'secret tokens' | 'configuration in Redis';

/**
 * What a text is sealed with: `current` the first key; `old` another listed one; `unknown` one that is not listed;
 * `unreadable` a listed one that does not open it: the text was altered, or the id stands for another key now.
 */
export type Sealing = 'current' | 'old' | 'unknown' | 'unreadable';

export type TallyLine = { place: Place; keyId: string; sealing: Sealing; count: number };

/** What one look at everything has found, and how much of it was sealed anew on the way. */
export type Tally = { lines: TallyLine[]; resealed: number; overtaken: number };

export function emptyTally(): Tally {
  return { lines: [], resealed: 0, overtaken: 0 };
}

export function count(tally: Tally, place: Place, keyId: string, sealing: Sealing): void {
  const known = tally.lines.find((line) => line.place === place && line.keyId === keyId && line.sealing === sealing);
  if (known) known.count += 1;
  else tally.lines.push({ place, keyId, sealing, count: 1 });
}

/** Opens a text, so that nothing is called current that cannot be read. */
export function inspect(secrets: SecretBox, sealed: string): { keyId: string; sealing: Sealing; plain: string } {
  const keyId = keyIdOf(sealed);
  if (keyId === null) return { keyId: 'none', sealing: 'unreadable', plain: '' };
  if (!secrets.lists(keyId)) return { keyId, sealing: 'unknown', plain: '' };
  try {
    return { keyId, sealing: keyId === secrets.keyId ? 'current' : 'old', plain: secrets.open(sealed) };
  } catch {
    return { keyId, sealing: 'unreadable', plain: '' };
  }
}
