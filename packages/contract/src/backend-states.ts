/** How the backend of a bot or of a program is. */
export const BACKEND_STATES = ['ok', 'failing', 'open'] as const;

export type BackendState = (typeof BACKEND_STATES)[number];

export const BACKEND_STATE_NOTE =
  'ok: the backend works. failing: the last attempts failed. open: the backend is unreachable, has failed for 10 s, and is retried every 2 to 60 s.';
