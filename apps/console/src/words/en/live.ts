/** The live stream: its state in the bar, and its screen. */
export const live = {
  states: { live: 'Live', connecting: 'Connecting', polling: 'Every 10 s' },
  stateHints: {
    live: 'What happens is shown at once.',
    connecting: 'The live stream is being opened. Until then the page asks every 10 s.',
    polling: 'There is no live stream now. The page asks every 10 s.',
  },
};
