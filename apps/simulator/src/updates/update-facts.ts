import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';

/** The facts that the queue needs besides an update's text. Times are milliseconds of the simulated clock. */
export type UpdateFacts = { lane: string; expiresAtMs: number };

const DAY_MS = 86_400_000;
/** Where the platform's order is another than ours: the first two do not wait for the messages of their chat. */
const OWN_LANES: Record<string, string> = {
  my_chat_member: 'my:chat.id',
  guest_message: 'guest:chat.id',
  managed_bot: 'mb:user.id',
};

/** Lane and expiry of an update that arrived at `arrivedAtMs` (Client.cpp:17053-17353). */
export function readUpdateFacts(kind: string, payload: unknown, arrivedAtMs: number): UpdateFacts {
  const [prefix, path = ''] = (OWN_LANES[kind] ?? kindFacts(kind)?.lane ?? 'c:chat.id').split(':');
  return {
    lane: `${prefix}:${String(dig(payload, path.split('.')) ?? kind)}`,
    expiresAtMs: expiryOf(kind, payload, arrivedAtMs),
  };
}

function expiryOf(kind: string, payload: unknown, arrivedAtMs: number): number {
  const keepS = kindFacts(kind)?.keepS;
  if (keepS !== undefined) return arrivedAtMs + keepS * 1000;
  const dateS = dig(payload, ['edit_date']) ?? dig(payload, ['date']);
  if (typeof dateS !== 'number') return arrivedAtMs + DAY_MS;
  return dateS * 1000 + DAY_MS;
}

function dig(value: unknown, path: string[]): unknown {
  let at = value;
  for (const step of path)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  return at;
}
