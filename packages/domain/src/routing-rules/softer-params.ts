import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** What to try instead of what the platform refused because of its form; null when nothing would help. */
export function softerParams(method: string, params: Fields, refusal: string): Fields | null {
  if (method === 'sendPoll' && params.is_anonymous === false && /anonymous/i.test(refusal)) {
    return { ...params, is_anonymous: true };
  }
  // An entity that the target bot may not use, or that we do not know yet, must not cost the text.
  if (params.entities !== undefined && /entit/i.test(refusal)) {
    const { entities: _, ...plain } = params;
    return plain;
  }
  return null;
}
