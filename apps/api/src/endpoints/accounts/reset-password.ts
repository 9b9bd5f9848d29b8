import { resetPassword } from '@flotilla/contract/operations/accounts.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { updateAccount } from '@flotilla/domain/accounts/update-account.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const resetPasswordEndpoint = defineEndpoint(resetPassword, async (context, { input, caller, by }) => {
  const mustChange = input.must_change_password ?? input.id !== caller.account.id;
  const password = { text: input.password, mustChange };
  const changes = { password, revokeKeys: input.revoke_keys };
  await updateAccount(context, by, input.id, changes, 'password_reset');
  return OK;
});
