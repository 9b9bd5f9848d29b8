export const chart = {
  title: 'Activity',
  range: 'How far back',
  ranges: { hour: '1 hour', day: '24 hours', week: '7 days' },
  taken: 'As of',
  total: 'Total',
  running: 'so far',
  /** Of the axis of counts. */
  units: { hour: 'updates a minute', day: 'updates an hour', week: 'updates an hour' },
  updates: 'updates',
  line: (name: string, sum: string, most: string) => `${name}: ${sum} in total, at most ${most} at a time.`,
  lines: {
    in: 'Received',
    delivered: 'Delivered',
    calls: 'Calls',
    retried: 'Retried',
    failed: 'Failed',
    waiting: 'Queued',
  },
  /** A level is no count: it has no sum. */
  last: 'Last',
  level: (name: string, last: string, most: string) => `${name}: ${last} last, at most ${most}.`,
  waiting: 'Queued updates',
  waitingHint: 'Sampled once a minute; an hour shows its peak.',
};
