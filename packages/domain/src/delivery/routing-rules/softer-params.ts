import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** Simpler parameters to try after the platform refused the form of these; null when there are none. */
export function softerParams(method: string, params: Fields, refusal: string): Fields | null {
  if (method === 'sendPoll' && params.is_anonymous === false && /anonymous/i.test(refusal)) {
    return { ...params, is_anonymous: true };
  }
  // Send the text without entities: the target bot may not use one of them, or we do not know it yet.
  if (params.entities !== undefined && /entit/i.test(refusal)) {
    const { entities: _, ...plain } = params;
    return plain;
  }
  return null;
}
