import { hkdfSync } from 'node:crypto';
import { type Caller, callerOf } from '@flotilla/domain/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/accounts/credential-cache.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import session from 'express-session';
import { RedisSessionStore } from './redis-session-store.ts';

declare module 'express-session' {
  interface SessionData {
    accountId: number;
    /** The account's epoch at sign-in: a password or role change raises it, which ends the session. */
    epoch: number;
  }
}

export const SESSION_COOKIE = 'session';
const LIFETIME_MS = 7 * 24 * 3_600_000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: LIFETIME_MS } as const;

export interface SessionDeps {
  redis: RedisHandles;
  credentials: CredentialCache;
  config: { encryptionKey: string; http: { publicUrl: string | null } };
}

export type SessionMiddleware = (request: Request, response: Response) => Promise<void>;

/** Attaches `request.session` from the cookie, or an empty one. */
export function sessionMiddleware({ redis, config }: SessionDeps): SessionMiddleware {
  const isHttps = config.http.publicUrl?.startsWith('https:') ?? false;
  const secrets = sessionSecrets(config.encryptionKey);
  const attach = session({
    name: SESSION_COOKIE,
    secret: secrets,
    store: new RedisSessionStore(redis.commands, LIFETIME_MS),
    resave: false,
    saveUninitialized: false,
    unset: 'destroy',
    cookie: { ...COOKIE, secure: 'auto' },
  });
  return async (request, response) => {
    // express-session asks the request; PUBLIC_URL knows of a TLS that ends before an untrusted proxy.
    if (isHttps) Object.defineProperty(request, 'secure', { value: true });
    await new Promise<void>((resolve, reject) => {
      attach(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
    renewSignature(request, response, secrets[0]!);
  };
}

/** A cookie that another key than the first has signed is sent anew, so that people stay signed in when that key goes. */
function renewSignature(request: Request, response: Response, secret: string): void {
  if (request.session.accountId === undefined) return;
  const value = `s:${sign(request.sessionID, secret)}`;
  if (request.headers.cookie?.includes(encodeURIComponent(value))) return;
  response.cookie(SESSION_COOKIE, value, { ...COOKIE, secure: request.secure });
}

/** The account that signed in, unless its sessions were ended since. */
export async function callerOfSession(credentials: CredentialCache, request: Request): Promise<Caller | null> {
  const { accountId, epoch } = request.session;
  if (accountId === undefined || epoch === undefined) return null;
  // Another process may have opened the session a moment ago, under an epoch that this one has not heard of yet.
  const account = await credentials.account(accountId, { epoch });
  return account !== null && account.sessionEpoch === epoch ? callerOf(account) : null;
}

/** Opens a session under a new id, whatever id the request came with. */
export async function beginSession(request: Request, opened: { accountId: number; epoch: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: unknown) => (error ? reject(error) : resolve()));
  });
  request.session.accountId = opened.accountId;
  request.session.epoch = opened.epoch;
  await new Promise<void>((resolve, reject) => {
    request.session.save((error: unknown) => (error ? reject(error) : resolve()));
  });
}

/** Ends the request's session, if it came with one, and takes the cookie back. */
export async function endSession(request: Request, response: Response): Promise<void> {
  if (request.session === undefined) return;
  response.clearCookie(SESSION_COOKIE, { httpOnly: true, sameSite: 'lax', path: '/' });
  await new Promise<void>((resolve, reject) => {
    request.session.destroy((error: unknown) => (error ? reject(error) : resolve()));
  });
}

/** One signing secret for each listed key, so that sessions outlive a rotation. */
function sessionSecrets(encryptionKey: string): string[] {
  const keys = encryptionKey.split(',').map((entry) => entry.trim().replace(/^[^:]*:/, ''));
  return keys.map((key) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', 'flotilla session cookie', 32)).toString(
      'base64url',
    ),
  );
}
