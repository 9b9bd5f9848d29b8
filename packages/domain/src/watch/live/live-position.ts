/** How far a client has seen: the id of its last event. Any replica can go on from it. */
export type LivePosition = {
  /** By bot: the id of the last entry of its live stream. */
  bots: Map<number, string>;
  /** When (ms) the last change of a bot was told; 0 when the client is told none. */
  changesToMs: number;
};

const ENTRY = /^(\d{1,15}):(\d{1,20}-\d{1,20})$/;
const CHANGES = /^c(\d{1,15})$/;
/** The longest id: twenty bots. */
const MAX_LENGTH = 2048;

/** The position as the id of an event, in characters that a header may have. */
export function encodePosition({ bots, changesToMs }: LivePosition): string {
  const parts = [...bots].map(([botId, id]) => `${botId}:${id}`);
  if (changesToMs > 0) parts.push(`c${changesToMs}`);
  return Buffer.from(parts.join(' ')).toString('base64url');
}

/** The position of an id; null when it is none of ours. */
export function decodePosition(id: string): LivePosition | null {
  const position: LivePosition = { bots: new Map(), changesToMs: 0 };
  if (id === '' || id.length > MAX_LENGTH) return null;
  for (const part of Buffer.from(id, 'base64url').toString().split(' ')) {
    const [, botId, entry] = ENTRY.exec(part) ?? [];
    const [, changes] = CHANGES.exec(part) ?? [];
    if (entry !== undefined) position.bots.set(Number(botId), entry);
    else if (changes !== undefined) position.changesToMs = Number(changes);
    else return null;
  }
  return position;
}

/** True if an entry comes after another one in its live stream. */
export function isAfter(id: string, other: string): boolean {
  const [[ms, number], [otherMs, otherNumber]] = [partsOf(id), partsOf(other)];
  return ms === otherMs ? number > otherNumber : ms > otherMs;
}

function partsOf(id: string): [ms: number, number: number] {
  const [ms, number] = id.split('-');
  return [Number(ms), Number(number)];
}
