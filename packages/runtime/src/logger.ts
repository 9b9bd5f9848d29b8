import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type Logger = PinoLogger;

/**
 * A pino logger of JSON lines, to standard output unless a destination is given. Secrets are redacted in the finished
 * line, so error messages, stacks and nested objects are covered alike.
 */
export function createLogger(options: { name: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactSecrets },
    },
    options.destination ?? lineWriter({ fd: 1 }),
  );
}

/** A new file for the lines of one start, which only its owner can read. */
export function logFile(path: string): DestinationStream {
  return lineWriter({ dest: path, append: false, mode: 0o600 });
}

/** Lines that wait while a disk is full; more are dropped. */
const WAITING_BYTES = 1_048_576;
const STDERR = 2;

/**
 * A full disk must not end the process, nor hold it up: what waits is written with the first line that finds room again. It has no
 * flushSync, which the logger calls after a fatal line and which would wait for that room.
 */
function lineWriter(to: { fd: number } | { dest: string; append: false; mode: number }): DestinationStream {
  const lines = pino.destination({ ...to, sync: true, maxLength: WAITING_BYTES });
  let [isStuck, isTold] = [false, false];
  lines.on('error', ({ message }: Error) => {
    isStuck = true;
    if (!isTold) tellOperator(`The log cannot be written: ${message}\n`);
    isTold = true;
  });
  return {
    write(line) {
      // Once it drops lines, the library tries no other line by itself.
      if (isStuck) {
        isStuck = false;
        lines.write('');
      }
      lines.write(line);
    },
  };
}

function tellOperator(sentence: string): void {
  try {
    writeSync(STDERR, sentence);
  } catch {
    // It may be a file on the same disk.
  }
}

const HIDDEN = '[redacted]';

/** A bot token anywhere, also in a URL or percent-encoded. The bot id stays, so that bots can be told apart. */
const BOT_TOKEN = /(\d{1,20}(?::|%(?:25)?3A))[A-Za-z0-9_-]{20,}/gi;
/** The secret that signs deliveries, in the form of Standard Webhooks. */
const SIGNING_SECRET = /whsec_[A-Za-z0-9+/=]{8,}/g;
const API_KEY = /flt_[^\s"'\\&<>,;)\]}]+/g;
const CREDENTIALS_IN_URL = /([a-z][a-z0-9+.-]{1,20}:\/\/[^:/@\s"]{0,256}:)[^@/\s"]{1,1024}@/gi;
/** A URL with a user and no password. That user is often a key. */
const USER_IN_URL = /([a-z][a-z0-9+.-]{1,20}:\/\/)[^:/@\s"]{1,1024}@/gi;
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi;

const SECRET_NAME =
  '[\\w.-]{0,60}?(?:password|passwd|passphrase|secret|authorization|cookie|encryption_?key|api_?key|token)(?:_?(?:new|old|token|key))?';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
/**
 * `"name":"value"`, a list of values, and `"name","value"` as in raw headers. Here and below there is one way only to match
 * a text, so that a text that does not match takes no longer than one that does: strangers write some of it.
 */
const QUOTED = new RegExp(`("${SECRET_NAME}"\\s*[:,]\\s*)(?:${STRING}|\\[\\s*(?:${STRING}\\s*(?:,\\s*)?)*\\])`, 'gi');
/** The same in JSON inside a JSON string, up to six times: quotes carry backslashes, those inside a value twice as many and one more. */
const NESTED = new RegExp(
  `((?<!\\\\)(\\\\{1,63})"${SECRET_NAME}\\2"\\s*[:,]\\s*)\\2"(?:[^"\\\\]|\\\\.)*?(?<!\\\\)(?:\\\\\\2\\\\\\2)*\\2"`,
  'gi',
);
/** `name=value` of query strings, forms and cookies. */
const ASSIGNED = new RegExp(`\\b(${SECRET_NAME}|session)(=|%3D)[^&\\s"'\\\\;,]+`, 'gi');
/** `name: 'value'` as util.inspect writes it, and header lines in text. */
const INSPECTED = new RegExp(
  `\\b(${SECRET_NAME}['"]?:\\s*)(?:'(?:[^'\\\\"]|\\\\\\\\(?:[^"\\\\]|\\\\.)|\\\\[^\\\\])*'|\\\\"(?:[^"\\\\]|\\\\.)*?\\\\")`,
  'gi',
);
const HEADER_LINE =
  /((?:proxy-)?authorization|(?:set-)?cookie|x-telegram-bot-api-secret-token|password)(:\s+)[^\s"'[\\](?:[^"\\\r\n]|\\[^rn])*/gi;

/**
 * Redacts every secret in a serialised log line, which stays JSON: bot tokens, `flt_` keys, credentials in URLs, and
 * the values of fields, headers and query parameters with the name of a secret.
 */
export function redactSecrets(line: string): string {
  return line
    .replace(BOT_TOKEN, `$1${HIDDEN}`)
    .replace(API_KEY, `flt_${HIDDEN}`)
    .replace(SIGNING_SECRET, `whsec_${HIDDEN}`)
    .replace(CREDENTIALS_IN_URL, `$1${HIDDEN}@`)
    .replace(USER_IN_URL, `$1${HIDDEN}@`)
    .replace(QUOTED, `$1"${HIDDEN}"`)
    .replace(NESTED, `$1$2"${HIDDEN}$2"`)
    .replace(AUTHORIZATION, `$1 ${HIDDEN}`)
    .replace(ASSIGNED, `$1$2${HIDDEN}`)
    .replace(INSPECTED, `$1'${HIDDEN}'`)
    .replace(HEADER_LINE, `$1$2${HIDDEN}`);
}
