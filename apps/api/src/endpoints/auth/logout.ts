import { logout } from '@flotilla/contract/operations/auth.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { endSession } from '../../auth/session.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const logoutEndpoint = defineEndpoint(logout, async (context, { by, request, response }) => {
  if (request.session !== undefined) await recordAction(context, by, { action: 'sign_out' });
  await endSession(request, response);
  return OK;
});
