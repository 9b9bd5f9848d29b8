import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';

/** Updates as the log has them, for an answer that is sent as it is. */
export type PulledUpdates = {
  count: number;
  /** Their raw texts as an array of JSON holds them, without its brackets. */
  joined: Buffer;
};

export const NO_UPDATES: PulledUpdates = { count: 0, joined: Buffer.alloc(0) };

const SEPARATOR = Buffer.from(',\n');

export function joinTexts(texts: string[]): PulledUpdates {
  return { count: texts.length, joined: Buffer.from(texts.join(',\n')) };
}

/** Joins the updates of several reads, in the way in which read-page joins those of one. */
export function joinUpdates(reads: PulledUpdates[]): PulledUpdates {
  const [first, ...others] = reads.filter(({ count }) => count > 0);
  if (first === undefined) return NO_UPDATES;
  if (others.length === 0) return first;
  const parts = [first.joined, ...others.flatMap(({ joined }) => [SEPARATOR, joined])];
  return { count: reads.reduce((sum, { count }) => sum + count, 0), joined: Buffer.concat(parts) };
}

const ANSWER_BEGIN = Buffer.from('{"ok":true,"result":[');
const ANSWER_END = Buffer.from(']}');

/** Below this, an answer is a copy. A text lies in memory of up to 64 KiB that was read from Redis. */
const COPIED_BELOW_BYTES = 16 * 1024;

/**
 * The answer to a poll, by getUpdates and by REST, as the pieces to send. A short one is copied, so that a client that
 * reads slowly does not keep much more than its answer in memory; a long one is not, so that less garbage is made.
 */
export function pollAnswer({ joined }: PulledUpdates): Buffer[] {
  const pieces = [ANSWER_BEGIN, joined, ANSWER_END];
  return joined.length < COPIED_BELOW_BYTES ? [Buffer.concat(pieces)] : pieces;
}

/** The raw text of each update. */
export function textsOf(updates: PulledUpdates): string[] {
  const sliced = sliceUpdates(Buffer.concat(pollAnswer(updates)).toString());
  if (sliced === null) throw new Error('The log holds something that is not an update');
  return sliced.updates.map(({ raw }) => raw);
}
