import { type Answer, call } from '../../call.ts';

export type Attempt = Answer<'listDeliveryAttempts'>[number];

/** The attempts among which the next one is looked for. */
export type AttemptsOf = { botId: number; programId: number | undefined; updateId?: number; reader?: 'push' | 'rules' };

const LOOK_EVERY_MS = 700;
/** Longer than an attempt may take. */
const LOOK_FOR_MS = 70_000;

/** Does something that makes an attempt, and returns that attempt as soon as it has ended; null if none came. */
export async function seeAttempt(of: AttemptsOf, act: () => Promise<unknown>): Promise<Attempt | null> {
  const before = await newestAttempt(of);
  await act();
  for (const untilMs = Date.now() + LOOK_FOR_MS; Date.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const newest = await newestAttempt(of);
    if (newest !== undefined && newest.id !== before?.id) return newest;
  }
  return null;
}

async function newestAttempt({
  botId,
  programId,
  updateId,
  reader = 'push',
}: AttemptsOf): Promise<Attempt | undefined> {
  const of = programId === undefined ? { reader } : { program_id: programId };
  const update = updateId === undefined ? {} : { update_id: updateId };
  const [newest] = await call('listDeliveryAttempts', { bot_id: botId, ...of, ...update, limit: 1 });
  return newest;
}
