import { updateAccount as operation } from '@flotilla/contract/operations/accounts.ts';
import { updateAccount } from '@flotilla/domain/accounts/update-account.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentAccount } from '../auth/present-account.ts';
import { requireBot } from '../bots/require-bot.ts';

export const updateAccountEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
  const { id, username, display_name: displayName, role, bot_ids: botIds } = input;
  for (const botId of botIds ?? []) requireBot(context, botId);
  const mustChange = id !== caller.account.id;
  const password = input.password === undefined ? undefined : { text: input.password, mustChange };
  return presentAccount(await updateAccount(context, by, id, { username, displayName, role, botIds, password }));
});
