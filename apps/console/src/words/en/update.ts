import { plurals } from '../plural.ts';

const plural = plurals('en');

/** What the screen of one update says. */
export const update = {
  title: (id: string) => `Update ${id}`,
  back: 'Deliveries',
  gone: 'This update is no longer known',
  goneHint: 'The journal has the last 24 hours. The messages of a chat are in the inbox.',
  kind: 'Kind',
  via: 'Received',
  vias: {
    polling: 'by polling',
    webhook: 'by webhook',
    redrive: 'redelivered',
    held: 'after a person released the chat',
  },
  accepted: 'Accepted',
  chat: 'Chat',
  message: 'Message',
  readers: 'Readers',
  reader: { push: 'Backend', pull: 'Pollers', rules: 'Routing rules' } as Record<string, string>,
  program: (name: string) => `Program: ${name}`,
  consumer: (name: string) => `Consumer: ${name}`,
  outcomes: {
    delivered: 'Delivered',
    waiting: 'Queued',
    filtered: 'Filtered out',
    dead: 'Failed',
    dropped: 'Dropped by a rule',
    held: 'Held: a person had taken over the chat',
    expired: 'Expired',
  },
  filtered: {
    allowed_updates: 'the bot did not ask for this kind',
    kinds: 'the program did not ask for this kind',
    filter: 'its filter leaves it out',
    rules: 'no rule meets it, or one drops it',
  } as Record<string, string>,
  taken: (program: string) => `program ${program} took it alone`,
  attempts: (n: number) => plural(n, { one: '{n} attempt', other: '{n} attempts' }),
  attempt: (n: string) => `Attempt ${n}`,
  noAttempts: 'No attempts yet, or none needed.',
  calls: 'Resulting calls',
  noCalls: 'None known',
  hows: {
    answer: 'in the answer of the backend',
    reply: 'replies to the message',
    after: 'soon after in this chat: it may have had another reason',
  },
  call: 'Message of the bot',
  json: 'Update',
  noJson: 'Its JSON is no longer kept: no reader needs it.',
  replay: {
    act: 'Replay',
    title: (id: string, reader: string) => `Replay update ${id}: ${reader}`,
    hint: 'The backend gets a copy with the same update id, marked as a replay, behind what waits in this chat. The bot may answer the person again. It is one attempt, and no figure counts it.',
    attempt: 'Replay',
  },
  after: (time: string) => `+${time}`,
  axis: 'Time since it was accepted',
  open: 'Trace',
};
