import { createHash, randomBytes } from 'node:crypto';
import type { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import type { Row } from '@flotilla/contract/resource.ts';

type KeyRow = Row<typeof apiKeyResource>;

/** The record of an API key; only its owner knows the key itself. */
export type ApiKey = Omit<KeyRow, 'key_hash' | 'bot_ids'> & {
  /** null: all bots of the account. */
  bot_ids: readonly number[] | null;
  /** The bots that have one of its labels now. */
  labelled_bot_ids: readonly number[];
  /** The keys above it, up to the one that a session made. The key ends with any of them. */
  ancestors: { count: number; enabled: boolean; expireAt: Date | null };
};

export type NewApiKeyRow = Pick<KeyRow, 'key_hash'> &
  Pick<ApiKey, 'account_id' | 'name' | 'key_prefix' | 'role' | 'bot_ids' | 'bot_labels'> &
  Pick<ApiKey, 'mcp' | 'mcp_chats' | 'expires_at' | 'parent_id'>;

const KEY_BYTES = 24;
const CHECKSUM_LENGTH = 6;
const SHOWN_PREFIX_LENGTH = 10;

/**
 * A new key: `flt_`, 192 random bits, and a checksum by which secret scanners recognise a key. The server ignores the
 * checksum, because a quicker refusal would tell altered keys from keys that never existed.
 */
export function newApiKey(): string {
  const body = `flt_${randomBytes(KEY_BYTES).toString('base64url')}`;
  return body + checksumOf(body);
}

/** True if the key is valid: it and every key it comes from are enabled and have not ended. */
export function isUsableKey(key: ApiKey, nowMs: number): boolean {
  return key.enabled && key.ancestors.enabled && (endOfKey(key)?.getTime() ?? Number.POSITIVE_INFINITY) > nowMs;
}

/** The key's end: its own or that of an ancestor, whichever is first. */
export function endOfKey({ expires_at, ancestors: { expireAt } }: ApiKey): Date | null {
  if (expires_at === null || expireAt === null) return expires_at ?? expireAt;
  return expires_at < expireAt ? expires_at : expireAt;
}

/** The part of a key that may be stored and shown. */
export function shownPrefix(key: string): string {
  return key.slice(0, SHOWN_PREFIX_LENGTH);
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
