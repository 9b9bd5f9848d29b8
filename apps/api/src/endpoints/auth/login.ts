import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { login } from '@flotilla/contract/operations/auth.ts';
import { signIn } from '@flotilla/domain/accounts/sign-in.ts';
import { beginSession } from '../../auth/session.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { presentAccount } from './present-account.ts';

export const loginEndpoint = defineEndpoint(login, async (context, { input, request }) => {
  const attempt = await context.signInLimits.attempt(input.username, request.ip ?? '');
  const account = await signIn(context, input);
  if (account === null) throw new FlotillaError('unauthorized', 'The username or the password is wrong');
  await attempt.succeeded();
  await beginSession(request, { accountId: account.id, epoch: account.sessionEpoch });
  return { user: presentAccount(account), must_change_password: account.mustChangePassword };
});
