import { plurals } from '../plural.ts';

const plural = plurals('en');

/** The live stream: its state in the bar, and its screen. */
export const live = {
  states: { live: 'Live', connecting: 'Connecting', polling: 'Every 10 s', offline: 'Offline' },
  stateHints: {
    live: 'Changes show at once.',
    connecting: 'Connecting to the live stream. Until then the page refreshes every 10 s.',
    polling: 'No live stream right now. The page refreshes every 10 s.',
    offline: 'No connection. What you see may be out of date; the page recovers by itself.',
  },
  list: 'Events',
  pause: 'Pause',
  goOn: 'Resume',
  pauseKey: 'Pause the live list',
  paused: 'Paused. New events wait.',
  more: (n: number) => plural(n, { one: '{n} new', other: '{n} new' }),
  quiet: 'Nothing yet',
  quietHint: 'Updates, calls and deliveries appear here as they happen.',
  noMatch: 'No events match the filter.',
  noBots: 'No bots to watch',
  noBotsHint: 'Add one by its name.',
  chosenBots: 'Watched bots',
  addBot: 'Add bot…',
  leaveOut: (name: string) => `Leave out ${name}`,
  most: (n: number) => plural(n, { one: 'No more than {n} bot.', other: 'No more than {n} bots.' }),
  kind: 'Kind',
  allKinds: 'All',
  kinds: { update: 'update', call: 'call', attempt: 'delivery', gap: 'gap' },
  manyKinds: { update: 'Updates', call: 'Calls', attempt: 'Deliveries' },
  filter: 'Filter events',
  filterHint: 'Text, name or number',
  chat: 'Chat id',
  columns: { at: 'Seen', what: 'Event', bot: 'Bot', chat: 'Chat', text: 'What' },
  skipped: (n: number) =>
    plural(n, { one: '{n} event was too much to show', other: '{n} events were too much to show' }),
  /** While the list is shown anew every other second only. */
  rate: (n: number) => plural(n, { one: '{n} event a second', other: '{n} events a second' }),
  gap: 'Events may be missing here',
  copyJson: 'Copy JSON',
  whatBecame: 'Trace',
  copyCurl: 'Copy as curl',
};
