import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** The error for the terminal when an embedded service does not start: one sentence, then the service's output. */
export function serviceError(sentence: string, cause?: unknown): FlotillaError {
  return new FlotillaError('unavailable', sentence, { cause });
}
