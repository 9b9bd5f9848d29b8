import { expect } from '@jest/globals';
import {
  botWithQueue,
  type Check,
  type ConformanceTarget,
  callback,
  chatMember,
  inject,
  kindsOf,
  message,
  poll,
  untilPending,
} from './conformance-target.ts';

const EDITED = { kind: 'edited_message' };

/** Tests of allowed_updates: the platform applies it when it creates an update, not when a client reads it. */
export function allowedUpdatesTests(target: () => ConformanceTarget, check: Check): void {
  /**
   * Polls with each value in turn, queues four updates of different kinds, and returns the kinds that are delivered.
   */
  const kindsAfter = async (values: unknown[], expectedCount: number): Promise<string[]> => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    for (const [index, value] of values.entries()) {
      await poll(target(), bot, { offset: index + 1, ...(value !== undefined && { allowed_updates: value }) });
    }
    await inject(target(), bot, [chatMember(), callback(), message('edited', EDITED), message('last')]);
    await untilPending(target(), bot, expectedCount);
    return kindsOf(await poll(target(), bot));
  };

  check('the list is remembered when it is not sent again', async () => {
    expect(await kindsAfter([['message'], undefined], 1)).toEqual(['message']);
  });

  check('an empty list stands for the default kinds', async () => {
    expect(await kindsAfter([['message'], []], 3)).toEqual(['callback_query', 'edited_message', 'message']);
  });

  check('a list without any known kind stands for the default kinds', async () => {
    expect(await kindsAfter([['message'], ['nope']], 3)).toEqual(['callback_query', 'edited_message', 'message']);
  });

  check('what is not JSON changes nothing', async () => {
    expect(await kindsAfter([['message'], 'edited_message'], 1)).toEqual(['message']);
  });

  check('updates already queued stay deliverable', async () => {
    const bot = await botWithQueue(target(), 101, 2);
    await inject(target(), bot, [callback()]);
    await untilPending(target(), bot, 3);
    await poll(target(), bot, { offset: 1, allowed_updates: ['edited_message'] });
    expect(kindsOf(await poll(target(), bot))).toEqual(['message', 'message', 'callback_query']);
  });
}
