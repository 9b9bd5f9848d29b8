import { randomBytes } from 'node:crypto';
import type { Role } from '@flotilla/contract/accounts.ts';
import type { ProgramTokenRow } from '@flotilla/contract/program-tokens.ts';

/** The record of a program's token; only its creator has seen the token itself. null: no limit. */
export type ProgramToken = Omit<ProgramTokenRow, 'methods' | 'chats' | 'threads'> & {
  methods: string[] | null;
  chats: number[] | null;
  /** Topics of its one chat. */
  threads: number[] | null;
};

export type WantedToken = Pick<
  ProgramToken,
  'name' | 'methods' | 'chats' | 'threads' | 'per_second' | 'per_minute' | 'priority' | 'expires_at'
>;

/** Who makes a token. `endsAt`: the end of the API key, or null for a session or a key without an end. */
export type TokenCreator = {
  role: Role;
  accountId: number;
  username: string;
  keyId: number | null;
  endsAt: Date | null;
};

const SECRET_LENGTH = 33;
const SHOWN_SECRET = 4;

/** A new token: 198 random bits, in the form that every library accepts, 35 characters after the colon. */
export function newProgramToken(telegramId: number): string {
  return `${telegramId}:fv${randomBytes(SECRET_LENGTH).toString('base64url').slice(0, SECRET_LENGTH)}`;
}

/** The part of a token that may be stored and shown. */
export function shownPrefix(token: string): string {
  return token.slice(0, token.indexOf(':') + 1 + 'fv'.length + SHOWN_SECRET);
}
