import { plurals } from '../plural.ts';

const plural = plurals('en');

export const fleet = {
  title: 'Fleet',
  all: 'All',
  states: 'Bots by problem',
  labels: 'Bots by label',
  attention: 'Needs attention',
  more: (n: number) => plural(n, { one: 'and {n} more', other: 'and {n} more' }),
  /** Names programs, because the figure in the bot's row counts only what waits for its backend and pollers. */
  waiting: (n: number, programs: number) => {
    const count = plural(n, { one: '{n} queued', other: '{n} queued' });
    if (programs === 0) return count;
    return programs === 1 ? `${count} for the program` : `${count} for programs`;
  },
  began: 'began',
  /** The remedy, in one sentence. */
  remedies: {
    token_revoked: 'Replace the token with the new one from BotFather.',
    foreign_webhook: 'Take the updates back, or remove the bot from the other service.',
    intake_failing: 'Check that nothing else polls the bot, and that Telegram can be reached.',
    intake_paused: 'Repair or remove the backend that is behind, or give Redis more memory.',
    platform_unreachable: 'Check the network of the workers, and their way to Telegram.',
    move_stuck: 'See on its page what the move waits for.',
    backend_open: 'Check that the program runs and can be reached; then try it now.',
    poller_silent: 'Start the program that polls, or switch polling off.',
    program_parked: 'Repair the program; then redeliver what failed.',
    program_silent: 'Start the program that polls.',
    program_failing: 'Check that the program runs and can be reached; then try it now.',
    sends_held: 'Release or cancel the messages in the outbox.',
    flood: 'Wait, or lower the pace of the bot.',
    backend_failing: 'Look at the answer of the program; then try it now.',
    forwarding_off: 'Turn forwarding on, or remove the backend.',
    nobody_reads: 'Connect a program, or switch the history on.',
  },
  look: 'Show',
  settings: 'Settings',
  figures: 'Figures of the fleet',
  dead: 'Failed deliveries',
  /** Of what period the tiles are sums. */
  over: {
    minute: 'In the last minute',
    hour: 'In the last hour',
    day: 'In the last 24 hours',
    week: 'In the last 7 days',
  },
  now: 'Now',
  perMinute: (count: string) => `${count}/min`,
  taken: 'As of',
  filter: 'Filter',
  filterHint: 'Name or @username',
  clear: 'Clear the filter',
  list: 'Bots',
  count: (n: number) => plural(n, { one: '{n} bot', other: '{n} bots' }),
  columns: {
    state: 'State',
    name: 'Name',
    readers: 'Delivers to',
    pending: 'Queued',
    quality: 'Success, p95',
    day: '24 hours',
    last: 'Last update',
  },
  intake: { polled: 'by polling', pushed: 'by webhook' },
  readers: { push: 'backend', pull: 'pollers', both: 'both', none: 'nobody' },
  never: 'never',
  noMatch: 'No bots match the filter.',
  empty: 'No bots yet',
  add: 'Add bot',
  addFirst: 'Add the first bot',
  addHint: 'Paste its token, choose how your program gets updates, and start with one that answers.',
  emptyUser: 'Ask an administrator for access to bots.',
};
