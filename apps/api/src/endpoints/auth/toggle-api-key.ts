import { toggleApiKey as operation } from '@flotilla/contract/operations/auth.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { toggleApiKey } from '@flotilla/domain/accounts/toggle-api-key.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const toggleApiKeyEndpoint = defineEndpoint(operation, async (context, { input, caller, by }) => {
  await toggleApiKey(context, by, caller, input.id, input.enabled);
  return OK;
});
