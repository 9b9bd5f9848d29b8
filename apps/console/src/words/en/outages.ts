/** Of a copy beside the installation that it was copied from. */
export const quarantine = {
  text: 'This is a copy in quarantine: it polls and sends nothing.',
  hint: 'Check what is queued in the outbox and in broadcasts before it takes over.',
  title: 'Let this copy take over?',
  question:
    'It will poll all bots and send what is queued. Stop the other installation first: two that poll the same bots take updates from each other.',
  act: 'Take over',
};

/** While changes are refused for maintenance. */
export const readOnly = {
  text: 'Flotilla is read-only for maintenance: nothing can be changed or sent.',
  hint: 'Updates are still received and delivered.',
};

/** The texts at the top of every screen while something is away. */
export const outages = {
  postgres: 'Storage is unavailable. Delivery continues; what you see may be out of date.',
  redis: 'The queue is unavailable. New updates stay with Telegram until it is back.',
  network: 'Flotilla cannot be reached. What you see may be out of date.',
  stale: 'Out of date. Trying again.',
  trying: 'The page recovers by itself.',
};

/** Others changed the same fields as a form. */
export const editConflict = {
  changed: (fields: readonly string[], by?: string) => {
    const who = by === undefined ? 'Somebody else' : `\u2068${by}\u2069`;
    return fields.length === 0
      ? `${who} changed this meanwhile.`
      : `${who} changed ${fields.map((name) => `“${name}”`).join(', ')} meanwhile.`;
  },
  kept: 'Nothing of yours is saved yet, and nothing is lost.',
  shown: 'The form shows what they saved. What you typed is kept.',
  theirs: 'Show theirs',
  mine: 'Show mine',
  overwrite: 'Overwrite theirs',
};
