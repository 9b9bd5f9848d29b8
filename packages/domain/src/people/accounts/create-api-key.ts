import type { Role } from '@flotilla/contract/accounts.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { type ApiKey, endOfKey, type McpReach, newApiKey, shownPrefix } from './api-key.ts';
import { apiKeyStore, type NewApiKeyRow } from './api-key-store.ts';
import { auditedKey, describeNewKey } from './audited-account.ts';
import { type Caller, callerOf, requireAdmin, seesBot } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { ADMIN_KEY_NAME } from './install-admin-key.ts';
import { ownerOfKeys } from './owner-of-keys.ts';
import { refuseGoneParent } from './refuse-gone-parent.ts';

export interface ApiKeyRequest {
  name: string;
  role?: Role | undefined;
  botIds?: readonly number[] | null | undefined;
  mcp?: McpReach | undefined;
  expiresAt?: Date | undefined;
  /** Another account's id; admins only. */
  accountId?: number | undefined;
}

/** A key is read together with its ancestors, so their chain must stay short. */
const MAX_ANCESTORS = 7;
const KEYS_AT_MOST = 100;

/**
 * Makes a key that can do no more than its account and its creator. Only the answer contains the key itself. A key made
 * with another key ends with that one at the latest. Throws 'forbidden', 'not_found' (the account), 'bad_request' (also
 * for too many keys), or 'unauthorized' when the caller's key was deleted meanwhile.
 */
export async function createApiKey(
  deps: AccountDeps,
  by: Actor,
  caller: Caller,
  request: ApiKeyRequest,
): Promise<{ key: string; record: ApiKey }> {
  if (request.role === 'admin') requireAdmin(caller);
  const owner = await ownerOfKeys(deps, caller, request.accountId);
  const role = roleOfKey(caller, owner, request.role);
  const botIds = botsOfKey(caller, owner, request.botIds);
  checkRequest(deps, request);
  const expiresAt = endOfNewKey(caller, request.expiresAt);
  const key = newApiKey();
  const row = {
    accountId: owner.id,
    name: request.name,
    keyHash: sha256Hex(key),
    prefix: shownPrefix(key),
    role,
    botIds,
    mcp: mcpOfKey(caller, owner, botIds, request.mcp),
    expiresAt,
    parentId: caller.apiKey?.id ?? null,
  };
  const record = await changeCredentials(deps, () => insertKey(deps, by, row));
  return { key, record };
}

function insertKey({ db, clock }: AccountDeps, by: Actor, row: NewApiKeyRow): Promise<ApiKey> {
  return db.transaction().execute(async (transaction) => {
    const keys = apiKeyStore(transaction);
    if ((await keys.countLocked(row.accountId)) >= KEYS_AT_MOST) {
      throw new FlotillaError(
        'bad_request',
        `An account can have at most ${KEYS_AT_MOST} API keys; delete those that nobody uses`,
      );
    }
    const record = await keys.findById(await keys.insert(row).catch(refuseGoneParent), null);
    if (record === null) throw new FlotillaError('internal', 'Postgres returned no row of the new key');
    await recordAction({ db: transaction, clock }, by, auditedKey('key_add', record, describeNewKey(record)));
    return record;
  });
}

/** A key made by a key ends with it at the latest, and by default at that moment. */
function endOfNewKey({ apiKey }: Caller, wanted: Date | undefined): Date | null {
  if (apiKey === null) return wanted ?? null;
  if (apiKey.ancestors.count >= MAX_ANCESTORS) {
    throw new FlotillaError('forbidden', 'The chain of keys behind this key is too long: sign in to make another one');
  }
  const latest = endOfKey(apiKey);
  if (wanted !== undefined && latest !== null && wanted > latest) {
    const reason = `must not be later than the end of the key that makes it, ${latest.toISOString()}`;
    throw refusedInput('expires_at', reason);
  }
  return wanted ?? latest;
}

/** Every chat must be of a bot that the key, its account and its creator see. */
function mcpOfKey(
  caller: Caller,
  owner: Account,
  botIds: readonly number[] | null,
  wanted: McpReach | undefined,
): McpReach | null {
  if (wanted === undefined) return null;
  const ofOwner = callerOf(owner);
  const isSeen = (id: number) =>
    seesBot(caller, id) && seesBot(ofOwner, id) && (botIds === null || botIds.includes(id));
  if (wanted.chats.every(({ botId }) => isSeen(botId))) return wanted;
  throw new FlotillaError('forbidden', 'A key cannot see chats of bots that it does not see');
}

function roleOfKey(caller: Caller, owner: Account, wanted: Role | undefined): Role {
  const widest = owner.role === 'admin' && caller.role === 'admin' ? 'admin' : 'user';
  if (wanted === 'admin' && widest === 'user')
    throw new FlotillaError('forbidden', 'The account has the user role only');
  return wanted ?? widest;
}

function botsOfKey(caller: Caller, owner: Account, wanted: readonly number[] | null | undefined) {
  if (wanted === null || wanted === undefined) return caller.scope.bots === 'all' ? null : [...caller.scope.bots];
  const ofOwner = callerOf(owner);
  if (wanted.some((id) => !seesBot(caller, id) || !seesBot(ofOwner, id))) {
    throw new FlotillaError('forbidden', 'A key cannot see bots that its account or its creator does not see');
  }
  return [...new Set(wanted)];
}

function checkRequest({ clock }: AccountDeps, { name, expiresAt }: ApiKeyRequest): void {
  if (name === ADMIN_KEY_NAME) throw refusedInput('name', 'is reserved for the setting of that name');
  if (expiresAt !== undefined && expiresAt.getTime() <= clock.nowMs())
    throw refusedInput('expires_at', 'must be in the future');
}
