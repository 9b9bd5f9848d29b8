import { logout } from '@flotilla/contract/operations/auth.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { endSession } from '../../auth/session.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const logoutEndpoint = defineEndpoint(logout, async (_context, { request, response }) => {
  await endSession(request, response);
  return OK;
});
