import { changePassword as operation } from '@flotilla/contract/operations/auth.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { changePassword } from '@flotilla/domain/accounts/change-password.ts';
import { refuseCommonPassword } from '@flotilla/domain/accounts/password.ts';
import { recordSignInLimit } from '@flotilla/domain/accounts/record-sign-in-limit.ts';
import { beginSession } from '../../auth/session.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';

export const changePasswordEndpoint = defineEndpoint(operation, async (context, { input, caller, by, request }) => {
  const { account, apiKey } = caller;
  // Before it counts as a try of the old one.
  refuseCommonPassword('new_password', input.new_password);
  // Guessing the old password with a stolen session or key is limited like guessing it at sign-in.
  const attempt = await context.signInLimits.attempt(account.username, request.ip ?? '');
  const passwords = { old: input.old_password, new: input.new_password };
  const epoch = await changePassword(context, by, account.id, passwords).catch(async (error: unknown) => {
    await recordSignInLimit(context, by, account.username, attempt.reaches);
    throw error;
  });
  await attempt.succeeded();
  // A session goes on to the end it had; it was told the password, but nobody signed in.
  const { endsAtMs } = request.session ?? {};
  if (apiKey === null) await beginSession(context, request, { accountId: account.id, epoch, endsAtMs });
  return OK;
});
