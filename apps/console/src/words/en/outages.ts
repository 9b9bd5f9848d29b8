/** Of a copy beside the installation that it was copied from. */
export const quarantine = {
  text: 'This is a copy in quarantine: it polls and sends nothing.',
  hint: 'Look at what waits in the outbox and in broadcasts before it takes over.',
  title: 'Let this copy take over?',
  question:
    'It will poll all bots and send what waits. Stop the other installation first: two that poll the same bots take updates from each other.',
  act: 'Take over',
};

/** While changes are refused for maintenance. */
export const readOnly = {
  text: 'Flotilla is read-only for maintenance: nothing can be changed or sent.',
  hint: 'Updates are taken in and delivered.',
};

/** What is said at the top of every screen while something is away. */
export const outages = {
  postgres: 'The storage is away. Delivery goes on; what you see may be old.',
  redis: 'The queue is away. Intake waits: updates stay at the platform until it is back.',
  network: 'Flotilla cannot be reached. What you see may be old.',
  stale: 'Not up to date. It is asked for again.',
  trying: 'The page goes on by itself.',
};
