import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import { endOfKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { type Caller, callerOf } from '@flotilla/domain/people/accounts/caller.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { SessionData } from 'express-session';
import { dropFromIndex, noteSessionUse, readSessionIndex } from './session-index.ts';
import { hasEnded, parseSession } from './session-store.ts';

type SessionDeps = { redis: RedisHandles; clock: Clock };

export type OwnSession = {
  /** The id in the cookie. It is never shown. */
  secretId: string;
  id: string;
  usedAtMs: number;
  data: SessionData;
};

const SHOWN_LENGTH = 32;

/** The id by which a session is shown. Nobody can find the id in the cookie from it. */
function shownSessionId(secretId: string): string {
  return sha256Hex(secretId).slice(0, SHOWN_LENGTH);
}

/**
 * The sessions of the caller's account that have not ended, the last used one first. A key that may do less than its
 * account finds none. `currentId`: the session of the call; undefined for a call with a key.
 */
export async function ownSessions(
  deps: SessionDeps,
  caller: Caller,
  currentId: string | undefined,
): Promise<OwnSession[]> {
  const { account } = caller;
  if (!mayAllOfAccount(caller)) return [];
  if (currentId !== undefined) await noteSessionUse(deps, account.id, currentId);
  const indexed = await readSessionIndex(deps, account.id);
  const records = (await deps.redis.runMany(indexed.map(({ id }) => ['get', authKeys.session(id)]))) as (
    | string
    | null
  )[];
  const ended = indexed.filter((_, at) => records[at] === null).map(({ id }) => id);
  await dropFromIndex(deps, account.id, ended);
  return indexed.flatMap(({ id, usedAtMs }, at) => {
    const record = records[at];
    const data = record ? parseSession(record) : null;
    const isShown = data !== null && isOpen(deps, account, data);
    return isShown ? [{ secretId: id, id: shownSessionId(id), usedAtMs, data }] : [];
  });
}

/** Ends a session on every process: the next request that has its cookie is refused, and running ones within 5 s. */
export async function endOwnSession({ redis }: SessionDeps, account: Account, { secretId }: OwnSession): Promise<void> {
  await redis.commands.del(authKeys.session(secretId));
  await dropFromIndex({ redis }, account.id, [secretId]);
}

function isOpen({ clock }: SessionDeps, account: Account, session: SessionData): boolean {
  const isOfAccount = session.accountId === account.id && session.sessionVersion === account.session_version;
  return isOfAccount && !hasEnded(session, clock.nowMs());
}

function mayAllOfAccount(caller: Caller): boolean {
  if (caller.apiKey === null) return true;
  const whole = callerOf(caller.account);
  const bots =
    caller.scope.bots === 'all' || (whole.scope.bots !== 'all' && whole.scope.bots.size === caller.scope.bots.size);
  return bots && caller.role === whole.role && endOfKey(caller.apiKey) === null;
}
