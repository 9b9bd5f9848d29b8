import { CallError } from '../../../call.ts';
import { sentenceOf } from '../../../parts/failure.tsx';
import type { Words } from '../../../words/en.ts';

/** Our words for the platform's texts about a message; those about chats and people are the same on every screen. */
const TEXTS = [
  [/message is too long|caption is too long/i, 'tooLong'],
  [/can't parse entities/i, 'markup'],
  [/message is not modified/i, 'notModified'],
  [/message can't be edited/i, 'cannotEdit'],
  [/message can't be deleted/i, 'cannotDelete'],
  [/message to (be replied|edit|delete|pin) not found|message to reply not found/i, 'noMessage'],
  [/BUTTON_\w+_INVALID|button .*(invalid|is invalid)|wrong HTTP URL/i, 'badButton'],
] as const satisfies readonly (readonly [RegExp, keyof Words['inbox']['refusals']])[];

/** Why a message was not sent or changed, in the person's language. */
export function refusalOf(error: Error, words: Words): string {
  const { refusals } = words.inbox;
  if (!(error instanceof CallError)) return sentenceOf(error, words);
  if (error.status === 0 || error.status === 504) return refusals.unknown;
  if (error.status === 413) return refusals.tooLarge;
  if (error.status === 429 && error.retryAfterS !== null) return refusals.tooFast(error.retryAfterS);
  // The sentence alone, which says that delivery goes on, could be read as if the message were on its way.
  if (error.status === 503) return `${words.errors.title}. ${sentenceOf(error, words)}`;
  const known = TEXTS.find(([pattern]) => pattern.test(error.message))?.[1];
  return known === undefined ? sentenceOf(error, words) : refusals[known];
}
