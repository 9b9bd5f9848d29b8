import { MIN_PASSWORD_LENGTH } from '@flotilla/contract/accounts.ts';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Of the 49,233 commonest those that are long enough, in lower case as the list has all of them. */
const COMMON = new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD_LENGTH));

export const COMMON_PASSWORD_FAULT = 'is one of the commonest passwords: choose another one';

/** Whether whoever guesses tries this one early, in any case and width of its letters. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.normalize('NFKC').toLowerCase());
}
