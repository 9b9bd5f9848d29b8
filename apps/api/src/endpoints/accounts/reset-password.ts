import { resetPassword } from '@flotilla/contract/operations/accounts.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { updateAccount } from '@flotilla/domain/accounts/update-account.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const resetPasswordEndpoint = defineEndpoint(resetPassword, async (context, { input, caller }) => {
  const mustChange = input.must_change_password ?? input.id !== caller.account.id;
  const password = { text: input.password, mustChange };
  await updateAccount(context, input.id, { password, revokeKeys: input.revoke_keys });
  return OK;
});
