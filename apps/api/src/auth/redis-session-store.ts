import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type SessionData, Store } from 'express-session';

type Done = (error?: unknown) => void;

/**
 * Keeps express-session's sessions in Redis, which forgets each that is not used for `endsUnusedAfterMs`. One that has
 * come to its own end is none, however much it is used.
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

  /** How long it may stay without being used. */
  private leftMs({ endsAtMs }: Partial<SessionData>): number {
    const untilEndMs = endsAtMs === undefined ? Number.POSITIVE_INFINITY : endsAtMs - this.clock.nowMs();
    return Math.min(this.endsUnusedAfterMs, untilEndMs);
  }
}
