import { deleteAccount as operation } from '@flotilla/contract/operations/accounts.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteAccount } from '@flotilla/domain/accounts/delete-account.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const deleteAccountEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await deleteAccount(context, by, input.id);
  return OK;
});
