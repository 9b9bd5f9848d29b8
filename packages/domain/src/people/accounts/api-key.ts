import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '@flotilla/contract/accounts.ts';

/** The rights of a key over MCP. Without chats it may do nothing in any. */
export type McpReach = { right: 'read' | 'write'; chats: readonly { botId: number; chatId: number }[] };

/** The record of an API key; only its owner knows the key itself. */
export interface ApiKey {
  id: number;
  accountId: number;
  name: string;
  prefix: string;
  role: Role;
  /** null: all bots of the account. */
  botIds: readonly number[] | null;
  /** The rights over MCP, and the chats; null: it is a key of REST. */
  mcp: McpReach | null;
  enabled: boolean;
  expiresAt: Date | null;
  /** The key that made it, or null if a session did. */
  parentId: number | null;
  /** The keys above it, up to the one that a session made. The key ends with any of them. */
  ancestors: { count: number; enabled: boolean; expireAt: Date | null };
  lastUsedAt: Date | null;
  createdAt: Date;
}

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
export function endOfKey({ expiresAt, ancestors: { expireAt } }: ApiKey): Date | null {
  if (expiresAt === null || expireAt === null) return expiresAt ?? expireAt;
  return expiresAt < expireAt ? expiresAt : expireAt;
}

/** The part of a key that may be stored and shown. */
export function shownPrefix(key: string): string {
  return key.slice(0, SHOWN_PREFIX_LENGTH);
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
