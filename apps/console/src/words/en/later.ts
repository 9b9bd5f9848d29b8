import { plurals } from '../plural.ts';

const plural = plurals('en');

/** Messages that somebody wrote in a chat, to be sent later. */
export const later = {
  open: 'Send later',
  presets: { hour: 'In an hour', evening: 'Today at 20:00', morning: 'Tomorrow at 9:00', own: 'At a time…' },
  empty: 'Write a message first.',
  file: 'A file cannot wait: send it now, or take it away.',
  title: 'Send later',
  at: 'When',
  past: 'Write a time that is to come, within a year.',
  act: 'Schedule',
  scheduled: (n: number) => plural(n, { one: '{n} message is scheduled', other: '{n} messages are scheduled' }),
  cancel: 'Cancel',
  cancelOf: (text: string) => `Cancel: ${text}`,
  cancelTitle: 'Cancel this message?',
  cancelAct: 'Cancel the message',
  entry: 'More about this message',
};
