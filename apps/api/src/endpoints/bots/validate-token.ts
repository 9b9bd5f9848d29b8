import { validateToken as operation } from '@flotilla/contract/operations/bots.ts';
import { validateToken } from '@flotilla/domain/bots/validate-token.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const validateTokenEndpoint = defineEndpoint(operation, async (context, { input }) => {
  const { id, username, firstName } = await validateToken(context, input.token);
  return { id, username, first_name: firstName };
});
