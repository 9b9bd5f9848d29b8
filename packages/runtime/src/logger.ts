import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactSecrets } from './redact-secrets.ts';

export type Logger = PinoLogger;

/**
 * A pino logger of JSON lines, to standard output unless a destination is given. No secret leaves it:
 * the finished line is scanned, so that error messages, stacks and nested objects are covered alike.
 */
export function createLogger(options: { name: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactSecrets },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}
