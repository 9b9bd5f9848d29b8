import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { OutboxEntry } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { accountStore } from '../../people/accounts/account-store.ts';
import { isUsableKey } from '../../people/accounts/api-key.ts';
import { apiKeyStore } from '../../people/accounts/api-key-store.ts';
import { type Caller, callerOf, seesBot } from '../../people/accounts/caller.ts';
import { whyForAdmins } from './sendable.ts';

/** Whose Idempotency-Keys an entry uses; null: nobody's. */
export function authorOf({ programId, keyId, accountId }: CallActor): string | null {
  if (programId !== undefined) return `program:${programId}`;
  if (keyId !== undefined) return `key:${keyId}`;
  return accountId === undefined ? null : `account:${accountId}`;
}

/** Whose share of the room an entry takes: all keys of an account have one, and so have all tokens of a program. */
export function sharerOf({ programId, accountId }: CallActor): string {
  if (programId !== undefined) return `program:${programId}`;
  return accountId === undefined ? '' : `account:${accountId}`;
}

export type AuthoredEntry = Pick<
  OutboxEntry,
  'bot_id' | 'method' | 'params' | 'broadcast_id' | 'created_by' | 'released_by'
>;

/** Why an entry must not go out. `ofAll`: nothing of this author for the bot may. */
export type LostRight = { why: string; ofAll: boolean };

export type AuthorRights = {
  /** null: who handed the entry over, or released it, still may. */
  lost(entry: AuthoredEntry): Promise<LostRight | null>;
};

/** The rights of an author now, or why it may do nothing. */
type Standing = Caller | { why: string | null };
type Known = { found: Promise<Standing>; untilMs: number };
type Deps = { db: Database; clock: Clock };

/** The same as for calls of people: a change of a right counts everywhere within a second. */
const KNOWN_MS = 1_000;
const KNOWN_AT_MOST = 1_000;

/** The rights of authors now. An author is read once a second, whatever it has handed over. */
export function authorRights(deps: Deps): AuthorRights {
  const known = new Map<string, Known>();
  const standing = (botId: number, by: CallActor): Promise<Standing> => {
    const name = [botId, by.programId, by.tokenId, by.accountId, by.keyId].join(' ');
    const before = known.get(name);
    if (before !== undefined && before.untilMs > performance.now()) return before.found;
    if (known.size >= KNOWN_AT_MOST) known.clear();
    const found = findStanding(deps, botId, by);
    known.set(name, { found, untilMs: performance.now() + KNOWN_MS });
    found.catch(() => known.delete(name));
    return found;
  };
  return {
    lost: async (entry) => lostBy(await standing(entry.bot_id, entry.released_by ?? entry.created_by), entry),
  };
}

async function findStanding(deps: Deps, botId: number, { programId, tokenId, accountId, keyId }: CallActor) {
  if (programId !== undefined) return { why: await lostByProgram(deps, botId, programId, tokenId ?? null) };
  return accountId === undefined ? { why: null } : findCaller(deps, accountId, keyId);
}

async function lostByProgram({ db, clock }: Deps, botId: number, programId: number, tokenId: number | null) {
  const program = await db
    .selectFrom('programs as p')
    .leftJoin('program_tokens as t', (join) => join.onRef('t.program_id', '=', 'p.id').on('t.id', '=', tokenId))
    .select(['p.enabled', 't.id as token_id', 't.expires_at'])
    .where('p.id', '=', programId)
    .where('p.bot_id', '=', botId)
    .executeTakeFirst();
  if (program === undefined) return 'The program that handed it over was deleted';
  if (!program.enabled) return 'The program that handed it over is paused';
  if (tokenId !== null && program.token_id === null) return 'The token that handed it over was revoked';
  const endsMs = program.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  return endsMs <= clock.nowMs() ? 'The token that handed it over has expired' : null;
}

async function findCaller({ db, clock }: Deps, accountId: number, keyId: number | undefined): Promise<Standing> {
  const account = await accountStore(db).findById(accountId);
  if (account === null) return { why: 'The account that handed it over was deleted' };
  if (keyId === undefined) return callerOf(account);
  const key = await apiKeyStore(db).findById(keyId, null);
  if (key === null) return { why: 'The API key that handed it over was deleted' };
  if (!isUsableKey(key, clock.nowMs())) return { why: 'The API key that handed it over is disabled or has expired' };
  return callerOf(account, key);
}

function lostBy(caller: Standing, entry: AuthoredEntry): LostRight | null {
  if ('why' in caller) return caller.why === null ? null : { why: caller.why, ofAll: true };
  if (!seesBot(caller, entry.bot_id)) return { why: 'Its author has no right to the bot any more', ofAll: true };
  if (entry.broadcast_id !== null && !caller.rights.includes('broadcast')) {
    return { why: 'Its author has no right to broadcast any more', ofAll: true };
  }
  const forAdmins = caller.role === 'admin' ? null : whyForAdmins(entry.method, entry.params);
  if (forAdmins === null) return null;
  const { path, reason } = forAdmins;
  return { why: `Its author is no admin any more, and ${path} is for admins: ${reason}`, ofAll: false };
}
