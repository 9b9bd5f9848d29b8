import { deleteApiKey as operation } from '@flotilla/contract/operations/auth.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteApiKey } from '@flotilla/domain/accounts/delete-api-key.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const deleteApiKeyEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
  await deleteApiKey(context, by, caller, input.id);
  return OK;
});
