import { percentDecoded } from '@flotilla/telegram/parameters/percent-decoded.ts';

/** Methods (in lower case) whose calls for a registered bot, or for any, never reach the platform. */
export const ANSWERED_HERE: ReadonlySet<string> = new Set([
  'getupdates',
  'setwebhook',
  'deletewebhook',
  'getwebhookinfo',
  'logout',
  'close',
]);

const PLAIN = /^\w*$/;
const MAX_DECODINGS = 4;

/**
 * Whether another server might read one of ANSWERED_HERE where we read something else: slashes merged, an ending cut
 * off, odd characters left out, escapes decoded twice. No method of the platform looks like that.
 */
export function hidesAnsweredMethod(lowerCaseMethod: string): boolean {
  if (PLAIN.test(lowerCaseMethod)) return false;
  const segments = fullyDecoded(lowerCaseMethod).toLowerCase().split('/');
  return segments.some((segment) => {
    const [first = ''] = /\w+/.exec(segment) ?? [];
    return ANSWERED_HERE.has(first) || ANSWERED_HERE.has(segment.replace(/\W/g, ''));
  });
}

/** Without any escape that a second or third reader would decode. */
export function fullyDecoded(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS && decoded.includes('%'); round++) decoded = percentDecoded(decoded);
  return decoded;
}
