import { MIN_PASSWORD_LENGTH } from '@flotilla/contract/accounts.ts';
import { dictionary } from '@zxcvbn-ts/language-common';

/** The long enough ones of the 49,233 most common passwords, in lower case like the list. */
const COMMON = new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD_LENGTH));

export const COMMON_PASSWORD_FAULT = 'is one of the most common passwords: choose another one';

/** True for a common password, whatever the case and width of its letters. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.normalize('NFKC').toLowerCase());
}
