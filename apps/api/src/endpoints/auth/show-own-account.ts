import { showOwnAccount } from '@flotilla/contract/operations/auth.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentCaller } from './present-account.ts';

export const showOwnAccountEndpoint = defineEndpoint(showOwnAccount, async (_context, { caller }) =>
  presentCaller(caller),
);
