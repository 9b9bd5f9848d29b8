import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { type SessionResource, type sessionOperations, sessionResource } from '@flotilla/contract/sessions.ts';
import { describeNew } from '@flotilla/domain/people/audit/describe-changes.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { endOwnSession, type OwnSession, ownSessions } from '../auth/own-sessions.ts';
import { endSession } from '../auth/session.ts';
import { pageOf } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';

export const sessionHandlers: Handlers<typeof sessionOperations> = {
  async listSessions(context, { input, caller, request }) {
    const sessions = await ownSessions(context, caller, request.sessionID);
    const shown = sessions.map((session) => presentSession(session, request.sessionID));
    return pageOf(shown, input, ({ id }) => id);
  },

  async endSession(context, { input, caller, by, request, response }) {
    const sessions = await ownSessions(context, caller, request.sessionID);
    const session = sessions.find(({ id }) => id === input.id);
    if (session === undefined) throw new FlotillaError('not_found', 'Session not found');
    const { id, data } = session;
    await recordAction(context, by, { action: 'session_end', details: describeNew({ id, address: data.address }) });
    await endOwnSession(context, caller.account, session);
    // Removes the cookie, too.
    if (session.secretId === request.sessionID) await endSession(request, response);
    return OK;
  },
};

function presentSession({ secretId, id, usedAtMs, data }: OwnSession, currentId: string | undefined): SessionResource {
  return answerOf(sessionResource, {
    id,
    created_at: new Date(data.createdAtMs),
    last_used_at: new Date(usedAtMs),
    expires_at: new Date(data.endsAtMs),
    address: data.address || undefined,
    user_agent: data.user_agent || undefined,
    current: secretId === currentId,
  });
}
