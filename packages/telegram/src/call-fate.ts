import { ABORTED, type PlatformAnswer } from './platform-answer.ts';

/**
 * The fate of a call: it was `done`; the platform `refused` it, and would again; it was `undone`, and another try may succeed; or
 * the platform may have carried it out, and nobody knows (`doubt`). The table is in docs/SENDING.md.
 */
export type CallFate = 'done' | 'refused' | 'undone' | 'doubt';

const [UNAUTHORIZED, TOO_MANY_REQUESTS, SERVER_ERROR, BAD_GATEWAY, UNAVAILABLE] = [401, 429, 500, 502, 503];

/** The one place that judges. Whoever makes a call decides by it whether the call may be made again. */
export function fateOf(answer: PlatformAnswer): CallFate {
  switch (answer.outcome) {
    case 'ok':
      return 'done';
    case 'refused':
      return mayPassLater(answer.errorCode) ? 'undone' : 'refused';
    case 'unreachable':
      return answer.neverSent === true ? 'undone' : 'doubt';
    case 'garbage':
      if (isTooLarge(answer.status)) return 'refused';
      return isTurnedAway(answer.status) ? 'undone' : 'doubt';
  }
}

/** An admin can replace a token that was revoked. */
function mayPassLater(errorCode: number): boolean {
  return errorCode === TOO_MANY_REQUESTS || errorCode === UNAUTHORIZED || errorCode >= SERVER_ERROR;
}

/**
 * A gateway that redirects or refuses has asked nobody. With 502 and 503 the platform's own front answers before it looks at a call;
 * with any other 5xx, the call may have gone on.
 */
function isTurnedAway(status: number): boolean {
  if (status === BAD_GATEWAY || status === UNAVAILABLE) return true;
  return status >= 300 && status < SERVER_ERROR;
}

/** A gateway refuses this call for its size, and any other may pass. */
function isTooLarge(status: number): boolean {
  return status === 413 || status === 414 || status === 431;
}

/** True if it was not the platform that answered: its other calls have the same fate, so the bot had better rest. */
export function isOutage(answer: PlatformAnswer): boolean {
  switch (answer.outcome) {
    case 'ok':
      return false;
    case 'refused':
      return answer.byGateway === true;
    case 'unreachable':
      return answer.reason !== ABORTED;
    case 'garbage':
      return !isTooLarge(answer.status);
  }
}
