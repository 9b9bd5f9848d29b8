import type { DeadLetter } from '@flotilla/contract/deliveries.ts';
import type { DeliveryJob } from '@flotilla/contract/delivery-jobs.ts';

/** Dead letters of one reader of a bot that a redrive put into its lanes: the id of each, and its update. */
export type SentLetters = { bot: number; reader: string; letters: [letterId: number, updateId: number][] };

export const NOTHING_SENT = '[]';
/** More letters are not followed: whoever asks would wait for them. */
const LETTERS_FOLLOWED = 1_000;
const READERS_FOLLOWED = 50;

/** The letters that a job has sent, with these, as far as they are followed. */
export function sentBeside(
  job: Pick<DeliveryJob, 'sent'>,
  { bot_id: bot, reader }: Pick<DeadLetter, 'bot_id' | 'reader'>,
  letters: readonly Pick<DeadLetter, 'id' | 'update_id'>[],
): string | null {
  if (job.sent === null) return null;
  const sent = sentOf(job.sent);
  const count = sent.reduce((sum, one) => sum + one.letters.length, 0);
  const added = letters.slice(0, LETTERS_FOLLOWED - count).map(({ id, update_id }) => [id, update_id] as const);
  const last = sent.at(-1);
  const all =
    last?.bot === bot && last.reader === reader
      ? [...sent.slice(0, -1), { ...last, letters: [...last.letters, ...added] }]
      : [...sent, { bot, reader, letters: added }];
  return JSON.stringify(added.length === 0 || all.length > READERS_FOLLOWED ? sent : all);
}

export function sentOf(stored: string): SentLetters[] {
  return JSON.parse(stored) as SentLetters[];
}
