import { addAccount, deleteAccount, listAccounts, resetPassword, updateAccount } from '../../operations/accounts.ts';
import { documentOperation } from '../document-operation.ts';
import { ACCOUNT } from './resource-examples.ts';

const COLLEAGUE = { ...ACCOUNT, id: 4, username: 'grace', display_name: 'Grace', role: 'user', bot_ids: [7] } as const;
const colleague = () => ({ ...COLLEAGUE, bot_ids: [...COLLEAGUE.bot_ids] });

export const accountsDocumentation = [
  documentOperation(listAccounts, { example: { input: { limit: 20 }, output: [ACCOUNT, colleague()] } }),
  documentOperation(addAccount, {
    errors: ['conflict', 'not_found'],
    example: {
      input: {
        username: 'grace',
        password: 'a password for the start',
        display_name: 'Grace',
        role: 'user',
        bot_ids: [7],
        must_change_password: true,
      },
      output: { ...colleague(), must_change_password: true },
    },
  }),
  documentOperation(updateAccount, {
    errors: ['conflict', 'not_found'],
    example: { input: { id: 4, bot_ids: [7, 9] }, output: { ...colleague(), bot_ids: [7, 9] } },
  }),
  documentOperation(deleteAccount, {
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
  documentOperation(resetPassword, {
    description:
      'A password that must be changed stops the sessions of the account until then, and none of its API keys: `revoke_keys` does.',
    errors: ['not_found'],
    example: { input: { id: 4, password: 'a password for the start', revoke_keys: true }, output: { ok: true } },
  }),
];
