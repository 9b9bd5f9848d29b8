import { keyIdOf, type SecretBox } from '@flotilla/runtime/secret-box.ts';

/** The places where sealed texts are stored. */
export type Place =
  | 'bot tokens'
  | 'secret tokens'
  | 'backend URLs'
  | 'signing secrets'
  | 'templates'
  | 'event URLs'
  | 'second factors'
  | 'configuration in Redis';

/**
 * How a text is sealed. `current`: with the first key. `old`: with another listed key. `unknown`: with an unlisted key.
 * `unreadable`: a listed key does not open it, because the text was altered or moved, or the id belongs to another key
 * now.
 */
export type Sealing = 'current' | 'old' | 'unknown' | 'unreadable';

export type TallyLine = { place: Place; keyId: string; sealing: Sealing; count: number };

/** The counts of one pass, and how many texts it sealed again. */
export type Tally = { lines: TallyLine[]; resealed: number; overtaken: number };

export function emptyTally(): Tally {
  return { lines: [], resealed: 0, overtaken: 0 };
}

export function count(tally: Tally, place: Place, keyId: string, sealing: Sealing): void {
  const known = tally.lines.find((line) => line.place === place && line.keyId === keyId && line.sealing === sealing);
  if (known) known.count += 1;
  else tally.lines.push({ place, keyId, sealing, count: 1 });
}

/** Counts a sealed text, and seals one of another listed key again with the first; '' stays ''. */
export function resealer(secrets: SecretBox, tally: Tally) {
  return (place: Place, sealed: string, boundTo: string): string => {
    if (sealed === '') return '';
    const { keyId, sealing, plain } = inspect(secrets, sealed, boundTo);
    count(tally, place, keyId, sealing);
    return sealing === 'old' ? secrets.seal(plain, boundTo) : sealed;
  };
}

/** Opens the text, so that an unreadable one is not counted as current. */
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
    return { keyId, sealing: keyId === secrets.keyId ? 'current' : 'old', plain };
  } catch {
    return { keyId, sealing: 'unreadable', plain: '' };
  }
}
