import { plurals } from '../plural.ts';

const plural = plurals('en');

/** Messages that somebody wrote in a chat, to be sent later. */
export const later = {
  open: 'Send later',
  presets: { hour: 'In an hour', evening: 'Today at 20:00', morning: 'Tomorrow at 9:00', own: 'Pick a time…' },
  empty: 'Type a message first.',
  file: 'Files cannot be scheduled: send it now or remove it.',
  title: 'Send later',
  at: 'When',
  past: 'Enter a future time within a year.',
  act: 'Schedule',
  scheduled: (n: number) => plural(n, { one: '{n} message is scheduled', other: '{n} messages are scheduled' }),
  cancel: 'Cancel',
  cancelOf: (text: string) => `Cancel: ${text}`,
  cancelTitle: 'Cancel this message?',
  cancelAct: 'Cancel message',
  entry: 'More about this message',
};
