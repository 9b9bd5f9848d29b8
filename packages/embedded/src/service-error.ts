import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** What a person at the terminal reads when an embedded service cannot be started: one sentence, then its own words. */
export function serviceError(sentence: string, cause?: unknown): FlotillaError {
  return new FlotillaError('unavailable', sentence, { cause });
}
