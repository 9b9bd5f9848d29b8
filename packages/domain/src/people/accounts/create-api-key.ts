import type { Role } from '@flotilla/contract/accounts.ts';
import type { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Additions } from '@flotilla/contract/resource.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { type ApiKey, endOfKey, type NewApiKeyRow, newApiKey, shownPrefix } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedNewKey } from './audited-account.ts';
import { type Caller, callerOf, requireAdmin, seesBot } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { ADMIN_KEY_NAME } from './install-admin-key.ts';
import { ownerOfKeys } from './owner-of-keys.ts';
import { refuseGoneParent } from './refuse-gone-parent.ts';
import { sees } from './scope.ts';

export type ApiKeyRequest = Omit<Additions<typeof apiKeyResource>, 'expires_at'> & {
  expires_at?: Date | undefined;
  /** Another account's id; admins only. */
  user_id?: number | undefined;
};

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
  const { name, mcp = null, mcp_chats = null } = request;
  const owner = await ownerOfKeys(deps, caller, request.user_id);
  const role = roleOfKey(caller, owner, request.role);
  const { bot_ids, bot_labels } = botsOfKey(caller, owner, request);
  checkRequest(deps, request);
  const expires_at = endOfNewKey(caller, request.expires_at);
  const named = bot_ids && [...bot_ids, ...(await apiKeyStore(deps.db).labelled(bot_labels))];
  checkChats(caller, owner, named, mcp_chats ?? []);
  const key = newApiKey();
  const row = {
    ...{ account_id: owner.id, name, role, bot_ids, bot_labels, mcp, mcp_chats, expires_at },
    ...{ key_hash: sha256Hex(key), key_prefix: shownPrefix(key), parent_id: caller.apiKey?.id ?? null },
  };
  const record = await changeCredentials(deps, () => insertKey(deps, by, row));
  return { key, record };
}

function insertKey({ db, clock }: AccountDeps, by: Actor, row: NewApiKeyRow): Promise<ApiKey> {
  return db.transaction().execute(async (transaction) => {
    const keys = apiKeyStore(transaction);
    if ((await keys.countLocked(row.account_id)) >= KEYS_AT_MOST) {
      throw new FlotillaError(
        'bad_request',
        `An account can have at most ${KEYS_AT_MOST} API keys; delete those that nobody uses`,
      );
    }
    const record = await keys.findById(await keys.insert(row).catch(refuseGoneParent), null);
    if (record === null) throw new FlotillaError('internal', 'Postgres returned no row of the new key');
    await recordAction({ db: transaction, clock }, by, auditedNewKey(record));
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
function checkChats(
  caller: Caller,
  owner: Account,
  botIds: readonly number[] | null,
  chats: readonly ChatOfBot[],
): void {
  const ofOwner = callerOf(owner);
  const isSeen = ({ bot_id: id }: ChatOfBot) =>
    seesBot(caller, id) && seesBot(ofOwner, id) && (botIds === null || botIds.includes(id));
  if (!chats.every(isSeen)) {
    throw new FlotillaError('forbidden', 'A key cannot see chats of bots that it does not see');
  }
}

function roleOfKey(caller: Caller, owner: Account, wanted: Role | undefined): Role {
  const widest = owner.role === 'admin' && caller.role === 'admin' ? 'admin' : 'user';
  if (wanted === 'admin' && widest === 'user')
    throw new FlotillaError('forbidden', 'The account has the user role only');
  return wanted ?? widest;
}

type BotsOfKey = Pick<ApiKey, 'bot_ids' | 'bot_labels'>;

/**
 * The bots of a new key. A key that is limited gives only ids and labels of its own, so that what it makes stays within it whatever
 * labels bots get or lose later. An account needs no such rule: it always narrows its keys.
 */
function botsOfKey(
  caller: Caller,
  owner: Account,
  { bot_ids: ids, bot_labels: labels = [] }: ApiKeyRequest,
): BotsOfKey {
  const limits = limitsOf(caller);
  if (labels.length === 0 && !ids) return limits ?? { bot_ids: null, bot_labels: [] };
  if (ids === null) throw refusedInput('bot_labels', 'limits nothing beside all bots: leave bot_ids out');
  const ofOwner = callerOf(owner);
  if (ids?.some((id) => !seesBot(caller, id) || !seesBot(ofOwner, id))) {
    throw new FlotillaError('forbidden', 'A key cannot see bots that its account or its creator does not see');
  }
  const ofKey = caller.apiKey?.bot_ids ? limits : null;
  const isWider =
    ids?.some((id) => !ofKey?.bot_ids?.includes(id)) || labels.some((name) => !ofKey?.bot_labels.includes(name));
  if (ofKey !== null && isWider) {
    throw new FlotillaError(
      'forbidden',
      'A key that is limited to labels gives only bots that it names, and its own labels',
    );
  }
  return { bot_ids: [...new Set(ids)], bot_labels: [...new Set(labels)] };
}

/** Null: the caller sees all bots. */
function limitsOf({ scope, apiKey, account }: Caller): BotsOfKey | null {
  if (scope.bots === 'all') return null;
  const { bot_ids, bot_labels } = apiKey?.bot_ids ? apiKey : account;
  return { bot_ids: (bot_ids ?? []).filter((id) => sees(scope, id)), bot_labels };
}

function checkRequest({ clock }: AccountDeps, { name, expires_at }: ApiKeyRequest): void {
  if (name === ADMIN_KEY_NAME) throw refusedInput('name', 'is reserved for the setting of that name');
  if (expires_at !== undefined && expires_at.getTime() <= clock.nowMs())
    throw refusedInput('expires_at', 'must be in the future');
}
