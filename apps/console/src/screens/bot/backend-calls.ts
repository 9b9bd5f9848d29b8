import { type Answer, call } from '../../call.ts';

/** The backend of a bot, or of one of its programs. */
export type BackendOf = { botId: number; programId: number | undefined };

/** Tries the backend at once, instead of at its next probe. */
export function resumeBackend({ botId, programId }: BackendOf): Promise<unknown> {
  return programId === undefined
    ? call('resumeBackend', { bot_id: botId })
    : call('resumeProgramBackend', { id: programId });
}

/** Sends an update to the backend past the queue; a sample without one. */
export function testBackend({ botId, programId }: BackendOf, update?: string): Promise<Answer<'testDelivery'>> {
  const given = update === undefined ? {} : { update };
  return programId === undefined
    ? call('testDelivery', { bot_id: botId, ...given })
    : call('testProgramDelivery', { id: programId, ...given });
}
