import { plurals } from '../plural.ts';

const plural = plurals('en');

export const secondFactor = {
  title: 'Second factor',
  off: 'Signing in needs your password alone. Add an authenticator app, and a stolen password is worth nothing.',
  on: (n: number) =>
    plural(n, {
      one: 'Signing in needs a code of your authenticator app. {n} recovery code is left.',
      other: 'Signing in needs a code of your authenticator app. {n} recovery codes are left.',
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
  recoveryHint: 'Without the app, each of these signs you in once. Keep them where the phone is not.',
  remove: 'Remove…',
  removeTitle: 'Remove the authenticator app?',
  removeHint: 'Signing in needs your password alone then. Your other sessions end.',
  removeAct: 'Remove',
  forced: 'Your account needs a second factor before you can go on.',
};
