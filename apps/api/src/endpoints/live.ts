import { type liveOperations, liveTopic } from '@flotilla/contract/live.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { untilGone } from '../http/until-gone.ts';
import type { Handlers } from '../operations/handler.ts';
import { watchedTopics, watchLive } from './watch-live.ts';

export const liveHandlers: Handlers<typeof liveOperations> = {
  async watchLive(context, { input, caller, request, response, whileAllowed }) {
    const topics = watchedTopics(
      context,
      input.topics.flatMap((text) => liveTopic(text) ?? []),
    );
    const lastEventId = request.get('Last-Event-ID') ?? null;
    const client = { caller, topics, lastEventId, response, headOnly: request.method === 'HEAD' };
    await whileAllowed(
      (ended) => untilGone([context.stopping, ended], response, (signal) => watchLive(context, client, signal)),
      (now) => requireSameRights(caller, now),
    );
  },
};

/** The stream was opened with the caller's rights at that time. If they change, the client must reconnect. */
function requireSameRights(then: Caller, now: Caller): void {
  if (then.role === now.role && rightsOf(then) === rightsOf(now)) return;
  throw new FlotillaError('forbidden', 'Your rights have changed; connect again');
}

function rightsOf({ scope: { bots } }: Caller): string {
  return bots === 'all' ? bots : [...bots].sort((one, other) => one - other).join();
}
