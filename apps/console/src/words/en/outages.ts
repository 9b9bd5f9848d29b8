/** What is said at the top of every screen while something is away. */
export const outages = {
  postgres: 'The storage is away. Delivery goes on; what you see may be old.',
  redis: 'The queue is away. Intake waits: updates stay at the platform until it is back.',
  network: 'Flotilla cannot be reached. What you see may be old.',
  stale: 'Not up to date. It is asked for again.',
  trying: 'The page goes on by itself.',
};
