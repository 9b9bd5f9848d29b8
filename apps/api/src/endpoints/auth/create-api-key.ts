import { createApiKey as operation } from '@flotilla/contract/operations/auth.ts';
import { createApiKey } from '@flotilla/domain/accounts/create-api-key.ts';
import { requireSeenBot } from '../../auth/require-bots.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentApiKey } from './present-account.ts';

export const createApiKeyEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
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
});
