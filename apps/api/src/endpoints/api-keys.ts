import type { ApiKeyResource, apiKeyOperations } from '@flotilla/contract/api-keys.ts';
import { OK } from '@flotilla/contract/fields.ts';
import type { ApiKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { createApiKey } from '@flotilla/domain/people/accounts/create-api-key.ts';
import { deleteApiKey } from '@flotilla/domain/people/accounts/delete-api-key.ts';
import { listApiKeys } from '@flotilla/domain/people/accounts/list-api-keys.ts';
import { toggleApiKey } from '@flotilla/domain/people/accounts/toggle-api-key.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireSeenBot } from '../operations/authorize.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { okWithTokens } from '../present/ok-with-tokens.ts';

export const apiKeyHandlers: Handlers<typeof apiKeyOperations> = {
  async listApiKeys(context, { input, caller }) {
    const { limit, offset } = input;
    const beforeId = decodeCursor(input.before, ['number'])?.[0] ?? null;
    const query = { accountId: input.user_id, limit: limit + 1, offset, beforeId };
    const { keys, total } = await listApiKeys(context, caller, query);
    return cutPage(keys.map(presentApiKey), limit, total, (key) => [key.id]);
  },

  async createApiKey(context, { input, caller, by }) {
    for (const id of input.bot_ids ?? []) {
      requireSeenBot(context, caller, id);
      requireBot(context, id);
    }
    const { key, record } = await createApiKey(context, by, caller, {
      name: input.name,
      role: input.role,
      botIds: input.bot_ids,
      expiresAt: input.expires_at === undefined ? undefined : new Date(input.expires_at),
      accountId: input.user_id,
    });
    return { ...presentApiKey(record), key };
  },

  async toggleApiKey(context, { input, caller, by }) {
    await toggleApiKey(context, by, caller, input.id, input.enabled);
    return OK;
  },

  async deleteApiKey(context, { input, caller, by }) {
    const tokens = await deleteApiKey(context, by, caller, input.id);
    return okWithTokens(tokens.filter(({ botId }) => seesBot(caller, botId)));
  },
};

function presentApiKey(key: ApiKey): ApiKeyResource {
  return {
    id: key.id,
    user_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    role: key.role,
    bot_ids: key.botIds === null ? null : [...key.botIds],
    enabled: key.enabled,
    ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
    ...(key.parentId === null ? {} : { parent_id: key.parentId }),
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    created_at: key.createdAt.toISOString(),
  };
}
