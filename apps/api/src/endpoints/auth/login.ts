import { login } from '@flotilla/contract/operations/auth.ts';
import { recordSignInLimit } from '@flotilla/domain/accounts/record-sign-in-limit.ts';
import { signIn } from '@flotilla/domain/accounts/sign-in.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { beginSession } from '../../auth/session.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentAccount } from './present-account.ts';

export const loginEndpoint = defineEndpoint(login, async (context, { input, by, request }) => {
  const { signIns } = context.apiMetrics;
  const attempt = await context.signInLimits.attempt(input.username, request.ip ?? '').catch((error: unknown) => {
    if (error instanceof FlotillaError) signIns.of('limited').inc();
    throw error;
  });
  const account = await signIn(context, input, context.clientAddress(request));
  signIns.of(account === null ? 'refused' : 'ok').inc();
  if (account === null) {
    await recordSignInLimit(context, by, input.username, attempt.reaches);
    throw new FlotillaError('unauthorized', 'The username or the password is wrong');
  }
  await attempt.succeeded();
  await beginSession(context, request, { accountId: account.id, epoch: account.sessionEpoch });
  return { user: presentAccount(account), must_change_password: account.mustChangePassword };
});
