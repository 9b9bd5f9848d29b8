import { listApiKeys as operation } from '@flotilla/contract/operations/auth.ts';
import { listApiKeys } from '@flotilla/domain/accounts/list-api-keys.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { presentApiKey } from './present-account.ts';

export const listApiKeysEndpoint = defineListEndpoint(operation, async (context, { input, caller }) => {
  const { limit = MAX_ROWS, offset } = input;
  const beforeId = decodeCursor(input.before, ['number'])?.[0] ?? null;
  const query = { accountId: input.user_id, limit: limit + 1, offset, beforeId };
  const { keys, total } = await listApiKeys(context, caller, query);
  return cutPage(keys.map(presentApiKey), limit, total, (key) => [key.id]);
});
