import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { type SessionData, Store } from 'express-session';

type Done = (error?: unknown) => void;

/** Keeps express-session's sessions in Redis, each with an expiry of its own. */
export class RedisSessionStore extends Store {
  private readonly redis: RedisHandles['commands'];
  private readonly lifetimeMs: number;

  constructor(redis: RedisHandles['commands'], lifetimeMs: number) {
    super();
    this.redis = redis;
    this.lifetimeMs = lifetimeMs;
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.redis.get(authKeys.session(id)).then(
      (text) => done(null, text === null ? null : (JSON.parse(text) as SessionData)),
      (error: unknown) => done(error),
    );
  }

  override set(id: string, session: SessionData, done: Done = () => {}): void {
    const stored = this.redis.set(authKeys.session(id), JSON.stringify(session), 'PX', this.lifetimeMs);
    stored.then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => {}): void {
    this.redis.del(authKeys.session(id)).then(() => done(), done);
  }

  override touch(id: string, _session: SessionData, done: Done = () => {}): void {
    this.redis.pexpire(authKeys.session(id), this.lifetimeMs).then(() => done(), done);
  }
}
