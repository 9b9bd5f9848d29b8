import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type SessionData, Store } from 'express-session';
import { ENDS_UNUSED_AFTER_MS, endSurplusSessions, noteSessionUse } from './session-index.ts';

declare module 'express-session' {
  interface SessionData {
    accountId: number;
    /** The account's version of sessions at sign-in: a password or role change raises it, which ends the session. */
    sessionVersion: number;
    /** The latest end of the session, even if it is used. */
    endsAtMs: number;
    createdAtMs: number;
    /** True if more than a password proved who it is; absent in a session of a release before. */
    secondFactor?: boolean;
    /** The client that signed in; '' if it is not known. */
    address: string;
    user_agent: string;
  }
}

type Done = (error?: unknown) => void;

/**
 * Keeps the sessions of express-session in Redis, each for seven days after its last use, but not beyond its own end, and
 * notes their use in the index of their account.
 */
export class RedisSessionStore extends Store {
  readonly redis: RedisHandles;
  readonly clock: Clock;

  constructor(redis: RedisHandles, clock: Clock) {
    super();
    this.redis = redis;
    this.clock = clock;
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.redis.commands.get(authKeys.session(id)).then(
      (text) => {
        const session = text === null ? null : parseSession(text);
        done(null, session !== null && !hasEnded(session, this.clock.nowMs()) ? session : null);
      },
      (error: unknown) => done(error),
    );
  }

  override set(id: string, session: SessionData, done: Done = () => {}): void {
    const stored = this.redis.commands.set(authKeys.session(id), JSON.stringify(session), 'PX', this.leftMs(session));
    const limited = noteSessionUse(this, session.accountId, id).then(() => endSurplusSessions(this, session.accountId));
    Promise.all([stored, limited]).then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => {}): void {
    this.redis.commands.del(authKeys.session(id)).then(() => done(), done);
  }

  override touch(id: string, session: SessionData, done: Done = () => {}): void {
    const kept = this.redis.commands.pexpire(authKeys.session(id), this.leftMs(session));
    Promise.all([kept, noteSessionUse(this, session.accountId, id)]).then(() => done(), done);
  }

  /** How long (ms) the session lives if nobody uses it. */
  private leftMs({ endsAtMs }: SessionData): number {
    return Math.max(1, Math.min(ENDS_UNUSED_AFTER_MS, endsAtMs - this.clock.nowMs()));
  }
}

/** True once the session is past its latest end, however recently it was used. */
export function hasEnded({ endsAtMs }: SessionData, nowMs: number): boolean {
  return endsAtMs <= nowMs;
}

/** The session of a record in Redis. */
export function parseSession(text: string): SessionData {
  return JSON.parse(text) as SessionData;
}
