import { addAccount as operation } from '@flotilla/contract/operations/accounts.ts';
import { addAccount } from '@flotilla/domain/accounts/add-account.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentAccount } from '../auth/present-account.ts';
import { requireBot } from '../bots/require-bot.ts';

export const addAccountEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  for (const id of input.bot_ids ?? []) requireBot(context, id);
  const account = await addAccount(context, by, {
    username: input.username,
    password: input.password,
    displayName: input.display_name,
    role: input.role,
    botIds: input.bot_ids,
    mustChangePassword: input.must_change_password,
  });
  return presentAccount(account);
});
