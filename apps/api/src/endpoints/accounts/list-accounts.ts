import { listAccounts } from '@flotilla/contract/operations/accounts.ts';
import { accountStore } from '@flotilla/domain/accounts/account-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { presentAccount } from '../auth/present-account.ts';

export const listAccountsEndpoint = defineListEndpoint(listAccounts, async (context, { input }) => {
  const { limit = MAX_ROWS, offset } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const accounts = accountStore(context.db);
  const [rows, total] = await Promise.all([accounts.list({ limit: limit + 1, offset, afterId }), accounts.count()]);
  return cutPage(rows.map(presentAccount), limit, total, (account) => [account.id]);
});
