import {
  changePassword,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  login,
  logout,
  showOwnAccount,
  toggleApiKey,
} from '../../operations/auth.ts';
import { documentOperation } from '../document-operation.ts';
import { ACCOUNT, API_KEY } from './resource-examples.ts';

const KEY_END = '2030-01-01T00:00:00.000Z';

export const authDocumentation = [
  documentOperation(login, {
    description:
      'The spelling of the username does not matter: case, width and accents may be written in any way. After five failures of an account or an address within 15 minutes it answers 429; an address from which the account has signed in before counts for itself.',
    errors: ['unauthorized', 'too_many_requests'],
    example: {
      input: { username: 'admin', password: 'correct horse battery' },
      output: { user: ACCOUNT, must_change_password: false },
    },
  }),
  documentOperation(logout, { example: { input: {}, output: { ok: true } } }),
  documentOperation(showOwnAccount, {
    description: 'With an API key it also says which key that is, and what it may do: at most what its account may.',
    example: {
      input: {},
      output: { ...ACCOUNT, api_key: { id: 12, name: 'dashboard', role: 'user', bot_ids: [7], expires_at: KEY_END } },
    },
  }),
  documentOperation(changePassword, {
    description: 'Failures count as those of signing in do.',
    errors: ['too_many_requests'],
    example: {
      input: { old_password: 'correct horse battery', new_password: 'staple horse battery' },
      output: { ok: true },
    },
  }),
  documentOperation(listApiKeys, {
    description:
      'A key sees, and manages, only keys that are no wider than itself: in role, in bots (one that follows its account is wider than any list) and in life. A session sees all.',
    errors: ['not_found'],
    example: { input: { limit: 20 }, output: [API_KEY] },
  }),
  documentOperation(createApiKey, {
    description:
      'A key has the role of its account or a narrower one, and sees its bots or some of them. Only an admin may name another account in `user_id`. A revoked key stops working everywhere within 5 s.\n\nWhat is made with a key ends with that key at the latest: without `expires_at` just then, and a later one is refused. It also stops while that key is disabled, and is deleted with it, and so is what it made itself. So make what is to last with a session.',
    errors: ['not_found'],
    example: {
      input: { name: 'dashboard', role: 'user', bot_ids: [7], expires_at: '2030-01-01T00:00:00Z' },
      output: { ...API_KEY, key: 'flt_3vQ9example0example0example0example' },
    },
  }),
  documentOperation(toggleApiKey, {
    description:
      'What was made with a disabled key stops too, and comes back with it. A key that is wider than the one sent is not found: enabling it again takes a session.',
    errors: ['not_found'],
    example: { input: { id: 12, enabled: false }, output: { ok: true } },
  }),
  documentOperation(deleteApiKey, {
    description: 'Every key that was made with it is deleted, too.',
    errors: ['not_found'],
    example: { input: { id: 12 }, output: { ok: true } },
  }),
];
