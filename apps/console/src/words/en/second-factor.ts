import { plurals } from '../plural.ts';

const plural = plurals('en');

export const secondFactor = {
  title: 'Second factor',
  off: 'Signing in needs your password alone. Add an authenticator app or a passkey, and a stolen password is worth nothing.',
  on: (n: number) =>
    plural(n, {
      one: 'Signing in needs more than your password. {n} recovery code is left.',
      other: 'Signing in needs more than your password. {n} recovery codes are left.',
    }),
  setUp: 'Set up…',
  setUpTitle: 'Set up an authenticator app',
  passwordHint: 'First your password. Your other sessions will end.',
  next: 'Next',
  scan: 'Scan this with your authenticator app, or type the key into it. Then type the code that it shows.',
  picture: 'QR code for the authenticator app',
  code: 'Code from the app',
  codeHint: 'Or a recovery code.',
  confirm: 'Confirm',
  recoveryTitle: 'Your recovery codes',
  recoveryHint: 'Without the app or the passkey, each of these signs you in once. Keep them where the phone is not.',
  remove: 'Remove…',
  removeApp: 'Remove the app…',
  removeOf: (name: string) => `Remove ${name}`,
  passkeys: 'Passkeys',
  lastUsed: 'Last used:',
  addPasskey: 'Add a passkey…',
  addPasskeyTitle: 'Add a passkey',
  addPasskeyHint: 'Your device or security key asks who you are, in place of a code. Your other sessions will end.',
  passkeyName: 'Name',
  passkeyNameHint: 'By which you know it later, such as the name of this device.',
  noPasskeyMade: 'No passkey was made. This device may have one of yours already; else try again.',
  noPasskey: 'No passkey was used. Try again, or type a code.',
  passkeyInstead: 'Use a passkey instead',
  codeOrPasskeyHint: 'Or a recovery code. Leave it empty to use a passkey.',
  removePasskeyTitle: (name: string) => `Remove the passkey ${name}?`,
  removeTitle: 'Remove the authenticator app?',
  removeHint: 'With the last second factor gone, signing in needs your password alone. Your other sessions end.',
  removeAct: 'Remove',
  forced: 'Your account needs a second factor before you can go on.',
};
