import type { ApiKeyResource, apiKeyOperations } from '@flotilla/contract/api-keys.ts';
import { OK } from '@flotilla/contract/fields.ts';
import type { ApiKey, McpReach } from '@flotilla/domain/people/accounts/api-key.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { createApiKey } from '@flotilla/domain/people/accounts/create-api-key.ts';
import { deleteApiKey } from '@flotilla/domain/people/accounts/delete-api-key.ts';
import { listApiKeys } from '@flotilla/domain/people/accounts/list-api-keys.ts';
import { toggleApiKey } from '@flotilla/domain/people/accounts/toggle-api-key.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireSeenBot } from '../operations/authorize.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
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
    const { key, record } = await createApiKey(context, by, caller, {
      name: input.name,
      role: input.role,
      botIds: input.bot_ids,
      mcp: mcpOf(input),
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
    return okWithTokens(tokens.filter(({ bot_id }) => seesBot(caller, bot_id)));
  },
};

type McpInput = { mcp?: McpReach['right'] | undefined; mcp_chats?: { bot_id: number; chat_id: number }[] | undefined };

/** Throws 'bad_request' if one is given without the other: a list that is left out must not mean every chat. */
function mcpOf({ mcp: right, mcp_chats: chats }: McpInput): McpReach | undefined {
  if (right === undefined && chats === undefined) return undefined;
  if (right === undefined) throw refusedInput('mcp', 'is required with mcp_chats');
  if (chats === undefined) throw refusedInput('mcp_chats', 'is required with mcp; an empty list is no chat');
  return { right, chats: chats.map(({ bot_id: botId, chat_id: chatId }) => ({ botId, chatId })) };
}

function presentChat({ botId, chatId }: McpReach['chats'][number]) {
  return { bot_id: botId, chat_id: chatId };
}

function presentApiKey(key: ApiKey): ApiKeyResource {
  return {
    id: key.id,
    user_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    role: key.role,
    bot_ids: key.botIds === null ? null : [...key.botIds],
    ...(key.mcp === null ? {} : { mcp: key.mcp.right, mcp_chats: key.mcp.chats.map(presentChat) }),
    enabled: key.enabled,
    ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
    ...(key.parentId === null ? {} : { parent_id: key.parentId }),
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    created_at: key.createdAt.toISOString(),
  };
}
