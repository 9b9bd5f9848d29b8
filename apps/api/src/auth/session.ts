import { hkdfSync } from 'node:crypto';
import { type Caller, callerOf } from '@flotilla/domain/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/accounts/credential-cache.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import session, { type SessionData, Store } from 'express-session';
import type { OpenSession } from './watch-credentials.ts';

declare module 'express-session' {
  interface SessionData {
    accountId: number;
    /** The account's epoch at sign-in: a password or role change raises it, which ends the session. */
    epoch: number;
    /** The latest end of the session, even if it is used. Sessions of an earlier release lack it. */
    endsAtMs: number;
  }
}

type Done = (error?: unknown) => void;

export const SESSION_COOKIE = 'session';
const DAY_MS = 24 * 3_600_000;
const ENDS_AFTER_MS = 30 * DAY_MS;
const ENDS_UNUSED_AFTER_MS = 7 * DAY_MS;
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
    store: new RedisSessionStore(redis.commands, clock, ENDS_UNUSED_AFTER_MS),
    resave: false,
    saveUninitialized: false,
    unset: 'destroy',
    cookie: { ...COOKIE, maxAge: ENDS_AFTER_MS, secure: 'auto' },
  });
  return async (request, response) => {
    // express-session would decide by the request; PUBLIC_URL also tells about TLS that ends at an untrusted proxy.
    if (isHttps) Object.defineProperty(request, 'secure', { value: true });
    await new Promise<void>((resolve, reject) => {
      attach(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
    if (request.session.accountId === undefined) return;
    request.session.endsAtMs ??= clock.nowMs() + ENDS_AFTER_MS;
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
  const { accountId, epoch = 0 } = request.session;
  if (accountId === undefined) return null;
  // Another process may have opened the session a moment ago, with an epoch that this process does not know yet.
  const account = await credentials.account(accountId, { epoch });
  return account !== null && account.sessionEpoch === epoch ? callerOf(account) : null;
}

/** The session that the request came with. */
export function openSessionOf({ session, sessionID }: Request): OpenSession {
  const { epoch = 0, endsAtMs = 0 } = session;
  return { id: sessionID, epoch, endsAtMs };
}

/**
 * Opens a session under a new id, never under the id that the request sent. It ends after 30 days, or at the end of
 * the session that it continues.
 */
export async function beginSession(
  { clock }: { clock: Clock },
  request: Request,
  opened: { accountId: number; epoch: number; endsAtMs?: number | undefined },
): Promise<void> {
  const { accountId, epoch, endsAtMs = clock.nowMs() + ENDS_AFTER_MS } = opened;
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: unknown) => (error ? reject(error) : resolve()));
  });
  Object.assign(request.session, { accountId, epoch, endsAtMs });
  request.session.cookie.maxAge = endsAtMs - clock.nowMs();
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

/**
 * Keeps the sessions of express-session in Redis, each for `endsUnusedAfterMs` after its last use, but not beyond its own
 * end.
 */
export class RedisSessionStore extends Store {
  private readonly redis: RedisHandles['commands'];
  private readonly clock: Clock;
  private readonly endsUnusedAfterMs: number;

  constructor(redis: RedisHandles['commands'], clock: Clock, endsUnusedAfterMs: number) {
    super();
    this.redis = redis;
    this.clock = clock;
    this.endsUnusedAfterMs = endsUnusedAfterMs;
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.redis.get(authKeys.session(id)).then(
      (text) => {
        const session = text === null ? null : (JSON.parse(text) as SessionData);
        done(null, session !== null && this.leftMs(session) > 0 ? session : null);
      },
      (error: unknown) => done(error),
    );
  }

  override set(id: string, session: SessionData, done: Done = () => {}): void {
    const leftMs = Math.max(1, this.leftMs(session));
    const stored = this.redis.set(authKeys.session(id), JSON.stringify(session), 'PX', leftMs);
    stored.then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => {}): void {
    this.redis.del(authKeys.session(id)).then(() => done(), done);
  }

  override touch(id: string, session: SessionData, done: Done = () => {}): void {
    this.redis.pexpire(authKeys.session(id), Math.max(1, this.leftMs(session))).then(() => done(), done);
  }

  /** How long the session lives if nobody uses it. */
  private leftMs({ endsAtMs }: Partial<SessionData>): number {
    const untilEndMs = endsAtMs === undefined ? Number.POSITIVE_INFINITY : endsAtMs - this.clock.nowMs();
    return Math.min(this.endsUnusedAfterMs, untilEndMs);
  }
}
