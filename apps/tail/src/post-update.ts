import { scanMembers } from '@flotilla/telegram/json-text.ts';
import { reasonOf } from './flotilla-client.ts';

/** An update on its way to the local program. */
export interface TailedUpdate {
  id: number;
  kind: string;
  /** Null for an update without a chat. */
  chatId: number | null;
  /** The update's own JSON. */
  raw: string;
}

export type PostEnd =
  /** `call`: the Bot API method that the program asks for in its answer. */
  { outcome: 'answered'; status: number; ms: number; call: string | null } | { outcome: 'unreachable'; reason: string };

/** The answers of a proxy or tunnel in place of a program that is not there. */
const NOT_THERE = [502, 503, 504];

/** Posts an update as the platform's webhook does. Throws only when `stopping` aborts. */
export async function postUpdate(
  { to, secret }: { to: string; secret: string | null },
  update: TailedUpdate,
  stopping: AbortSignal,
): Promise<PostEnd> {
  const beganAtMs = performance.now();
  const headers = {
    'content-type': 'application/json',
    ...(secret === null ? {} : { 'x-telegram-bot-api-secret-token': secret }),
  };
  try {
    const answer = await fetch(to, { method: 'POST', body: update.raw, headers, signal: stopping, redirect: 'manual' });
    const text = await answer.text();
    if (NOT_THERE.includes(answer.status)) return { outcome: 'unreachable', reason: `status ${answer.status}` };
    const ms = Math.round(performance.now() - beganAtMs);
    return { outcome: 'answered', status: answer.status, ms, call: answer.ok ? callIn(text) : null };
  } catch (error) {
    stopping.throwIfAborted();
    return { outcome: 'unreachable', reason: reasonOf(error) };
  }
}

/** Reads the data of an `update` event; null when it is none. */
export function readUpdate(data: string): TailedUpdate | null {
  const raw = new Map<string, string>();
  scanMembers(data, (name, value) => raw.set(name, value));
  const [id, chatId] = [Number(raw.get('update_id')), raw.get('chat_id')];
  const kind = /^"([a-z_]{1,64})"$/.exec(raw.get('kind') ?? '')?.[1] ?? 'unknown';
  const update = raw.get('update');
  if (!Number.isSafeInteger(id) || update === undefined) return null;
  return { id, kind, chatId: chatId === undefined || chatId === 'null' ? null : Number(chatId), raw: update };
}

function callIn(text: string): string | null {
  let method: string | null = null;
  scanMembers(text, (name, value) => {
    if (name === 'method') method = /^"(\w{1,64})"$/.exec(value)?.[1] ?? null;
  });
  return method;
}
