import { type Answer, call } from '../../call.ts';

export type Attempt = Answer<'listDeliveryAttempts'>[number];

/** The attempts among which the next one is looked for. */
export type AttemptsOf = {
  bot_id: number;
  /** Of one of its programs; with none of the two, of all its readers. */
  program_id?: number;
  reader?: 'push' | 'rules';
  update_id?: number;
};

const LOOK_EVERY_MS = 700;
/** Longer than an attempt may take. */
const LOOK_FOR_MS = 70_000;

/** Does something that makes an attempt, and returns that attempt as soon as it has ended; null if none came. */
export async function seeAttempt(of: AttemptsOf, act: () => Promise<unknown>): Promise<Attempt | null> {
  const before = await newestAttempt(of);
  await act();
  return attemptAfter(of, before);
}

/** The attempt after that one, as soon as it has ended; null if none came. */
export async function attemptAfter(of: AttemptsOf, before: Attempt | undefined): Promise<Attempt | null> {
  for (const untilMs = Date.now() + LOOK_FOR_MS; Date.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const newest = await newestAttempt(of);
    if (newest !== undefined && newest.id !== before?.id) return newest;
  }
  return null;
}

export async function newestAttempt(of: AttemptsOf): Promise<Attempt | undefined> {
  const [newest] = await call('listDeliveryAttempts', { ...of, limit: 1 });
  return newest;
}
