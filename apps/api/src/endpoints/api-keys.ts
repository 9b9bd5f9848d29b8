import { type ApiKeyResource, type apiKeyOperations, apiKeyResource } from '@flotilla/contract/api-keys.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import type { ApiKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { createApiKey } from '@flotilla/domain/people/accounts/create-api-key.ts';
import { deleteApiKey } from '@flotilla/domain/people/accounts/delete-api-key.ts';
import { listApiKeys } from '@flotilla/domain/people/accounts/list-api-keys.ts';
import { toggleApiKey } from '@flotilla/domain/people/accounts/toggle-api-key.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireSeenBot } from '../operations/authorize.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { okWithTokens } from '../present/ok-with-tokens.ts';

export const apiKeyHandlers: Handlers<typeof apiKeyOperations> = {
  async listApiKeys(context, { input, caller }) {
    const { limit, offset } = input;
    const beforeId = decodeCursor(input.before, ['id'])?.[0] ?? null;
    const query = { accountId: input.user_id, limit: limit + 1, offset, beforeId };
    const { keys, total } = await listApiKeys(context, caller, query);
    return cutPage(keys.map(presentApiKey), limit, total, (key) => [key.id]);
  },

  async createApiKey(context, { input, caller, by }) {
    for (const id of input.bot_ids ?? []) {
      requireSeenBot(context, caller, id);
      requireBot(context, id);
    }
    checkReach(input);
    const expires_at = input.expires_at === undefined ? undefined : new Date(input.expires_at);
    const { key, record } = await createApiKey(context, by, caller, { ...input, expires_at });
    return { ...presentApiKey(record), key };
  },

  async toggleApiKey(context, { input, caller, by }) {
    await toggleApiKey(context, by, caller, input.id, input.enabled);
    return OK;
  },

  async deleteApiKey(context, { input, caller, by }) {
    const tokens = await deleteApiKey(context, by, caller, input.id);
    return okWithTokens(tokens.filter(({ bot_id }) => seesBot(caller, bot_id)));
  },
};

/** Throws 'bad_request' if one is given without the other: a list that is left out must not mean every chat. */
function checkReach({ mcp, mcp_chats }: Call<typeof apiKeyOperations.createApiKey.input>['input']): void {
  if (mcp === undefined && mcp_chats !== undefined) throw refusedInput('mcp', 'is required with mcp_chats');
  if (mcp !== undefined && mcp_chats === undefined) {
    throw refusedInput('mcp_chats', 'is required with mcp; an empty list is no chat');
  }
}

function presentApiKey(key: ApiKey): ApiKeyResource {
  return answerOf(apiKeyResource, {
    ...key,
    ...{ user_id: key.account_id, prefix: key.key_prefix, bot_ids: key.bot_ids && [...key.bot_ids] },
  });
}
