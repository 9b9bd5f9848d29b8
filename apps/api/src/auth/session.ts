import { hkdfSync } from 'node:crypto';
import { type Caller, callerOf } from '@flotilla/domain/people/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/people/accounts/credential-cache.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import session, { type SessionData } from 'express-session';
import type { ClientAddress } from '../http/client-address.ts';
import { RedisSessionStore } from './session-store.ts';
import type { OpenSession } from './watch-credentials.ts';

export const SESSION_COOKIE = 'session';
const DAY_MS = 24 * 3_600_000;
const ENDS_AFTER_MS = 30 * DAY_MS;
/** Longer texts of browsers are cut. */
const USER_AGENT_LENGTH = 200;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/' } as const;

export type SessionMiddleware = (request: Request, response: Response) => Promise<void>;

/** Attaches `request.session` from the cookie, or an empty one. */
export function sessionMiddleware(
  redis: RedisHandles,
  clock: Clock,
  config: { encryptionKey: string; publicUrl: string | null },
): SessionMiddleware {
  const isHttps = config.publicUrl?.startsWith('https:') ?? false;
  const secrets = sessionSecrets(config.encryptionKey);
  const attach = session({
    name: SESSION_COOKIE,
    secret: secrets,
    store: new RedisSessionStore(redis, clock),
    resave: false,
    saveUninitialized: false,
    cookie: { ...COOKIE, maxAge: ENDS_AFTER_MS, secure: 'auto' },
  });
  return async (request, response) => {
    // express-session would decide by the request; PUBLIC_URL also tells about TLS that ends at an untrusted proxy.
    if (isHttps) Object.defineProperty(request, 'secure', { value: true });
    await new Promise<void>((resolve, reject) => {
      attach(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
    if (request.session.accountId !== undefined)
      renewSignature(request, response, { secret: secrets[0]!, nowMs: clock.nowMs() });
  };
}

/** Signs a cookie of an older key again, so that people stay signed in when that key is removed. */
function renewSignature(request: Request, response: Response, at: { secret: string; nowMs: number }): void {
  const value = `s:${sign(request.sessionID, at.secret)}`;
  if (request.headers.cookie?.includes(encodeURIComponent(value))) return;
  const maxAge = openSessionOf(request).endsAtMs - at.nowMs;
  response.cookie(SESSION_COOKIE, value, { ...COOKIE, maxAge, secure: request.secure });
}

/** The account that signed in; null if its sessions have been ended. */
export async function callerOfSession(credentials: CredentialCache, request: Request): Promise<Caller | null> {
  const { accountId, sessionVersion = 0 } = request.session;
  if (accountId === undefined) return null;
  // Another process may have opened the session a moment ago, with a version that this process does not know yet.
  const account = await credentials.account(accountId, { sessionVersion });
  return account !== null && account.session_version === sessionVersion ? callerOf(account) : null;
}

/** The session that the request came with. */
export function openSessionOf({ session, sessionID }: Request): OpenSession {
  const { sessionVersion = 0, endsAtMs = 0 } = session;
  return { id: sessionID, sessionVersion, endsAtMs };
}

type Opened = {
  accountId: number;
  sessionVersion: number;
  /** True if more than a password proved who it is. */
  secondFactor: boolean;
  /** The session that it continues; absent after a sign-in. */
  continued?: { createdAtMs?: number | undefined; endsAtMs?: number | undefined } | undefined;
};

/**
 * Opens a session under a new id, never under the id that the request sent. It ends after 30 days, or at the end of
 * the session that it continues.
 */
export async function beginSession(
  { clock, clientAddress }: { clock: Clock; clientAddress: ClientAddress },
  request: Request,
  { accountId, sessionVersion, secondFactor, continued = {} }: Opened,
): Promise<void> {
  const nowMs = clock.nowMs();
  const { createdAtMs = nowMs, endsAtMs = nowMs + ENDS_AFTER_MS } = continued;
  const address = clientAddress(request) ?? '';
  const user_agent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH);
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: unknown) => (error ? reject(error) : resolve()));
  });
  const opened: Omit<SessionData, 'cookie'> = {
    ...{ accountId, sessionVersion, secondFactor },
    ...{ createdAtMs, endsAtMs, address, user_agent },
  };
  Object.assign(request.session, opened);
  request.session.cookie.maxAge = endsAtMs - nowMs;
  await new Promise<void>((resolve, reject) => {
    request.session.save((error: unknown) => (error ? reject(error) : resolve()));
  });
}

/** Ends the session of the request, if it has one, and removes the cookie. */
export async function endSession(request: Request, response: Response): Promise<void> {
  if (request.session === undefined) return;
  response.clearCookie(SESSION_COOKIE, COOKIE);
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

export function hasSessionCookie(request: Request): boolean {
  const cookies = request.headers.cookie ?? '';
  return cookies.split(';').some((cookie) => cookie.trim().startsWith(`${SESSION_COOKIE}=`));
}
