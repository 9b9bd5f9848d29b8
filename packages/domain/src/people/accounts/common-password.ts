export const COMMON_PASSWORD_FAULT = 'is one of the most common passwords: choose another one';

/**
 * True for one of the 49,233 most common passwords, whatever the case and width of its letters. Their list is loaded when
 * somebody chooses a password, because it takes 4 MB and 25 ms, and most processes never need it.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  // The list is in lower case.
  return dictionary['passwords-common'].includes(password.normalize('NFKC').toLowerCase());
}
