import { createHmac } from 'node:crypto';
import { isSecret } from '@flotilla/runtime/digest.ts';

/** Data of a Mini App that the platform signed; `user` and `chat` as it wrote them. */
export type InitData = {
  user: Record<string, unknown> | null;
  chat: Record<string, unknown> | null;
  authDateS: number;
  start_param: string | null;
};

export type CheckedInitData =
  | ({ outcome: 'valid' } & InitData)
  /** The form is not that of init data; it was signed for another bot, or changed; it is older than allowed, or from the future. */
  | { outcome: 'malformed' | 'bad_hash' | 'expired' };

/** Clocks of the platform and of ours may differ by this much. */
const AHEAD_AT_MOST_S = 300;

/**
 * Checks `Telegram.WebApp.initData` as https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 * says: HMAC-SHA-256 over the sorted fields, with a key that only the bot's token gives. `maxAgeS` counts from `auth_date`.
 */
export function checkInitData(
  token: string,
  initData: string,
  { nowMs, maxAgeS }: { nowMs: number; maxAgeS: number },
): CheckedInitData {
  const given = new URLSearchParams(initData);
  const fields = new Map(given);
  const hash = fields.get('hash');
  const authDateS = Number(fields.get('auth_date') ?? Number.NaN);
  if (hash === undefined || fields.size !== given.size || !Number.isSafeInteger(authDateS))
    return { outcome: 'malformed' };
  const signed = [...fields]
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  const expected = createHmac('sha256', key).update(signed).digest('hex');
  if (!isSecret(hash.toLowerCase(), expected)) return { outcome: 'bad_hash' };
  const ageS = nowMs / 1000 - authDateS;
  if (ageS > maxAgeS || ageS < -AHEAD_AT_MOST_S) return { outcome: 'expired' };
  const [user, chat] = [objectIn(fields.get('user')), objectIn(fields.get('chat'))];
  if (user === undefined || chat === undefined) return { outcome: 'malformed' };
  return { outcome: 'valid', user, chat, authDateS, start_param: fields.get('start_param') ?? null };
}

/** null when the field is absent; undefined when it is no object. */
function objectIn(text: string | undefined): Record<string, unknown> | null | undefined {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
