import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Request, Response } from 'express';
import { type BearerDeps, bearerAuthentication } from './bearer.ts';
import { callerOfSession, SESSION_COOKIE, type SessionDeps, sessionMiddleware } from './session.ts';

/** The two ways to be somebody. */
export interface Authentication {
  callerByBearer(request: Request): Promise<Caller | null>;
  callerBySession(request: Request, response: Response): Promise<Caller | null>;
  /** Attaches a session without asking whose it is, for signing in. */
  openSession(request: Request, response: Response): Promise<void>;
}

export function authentication(deps: BearerDeps & SessionDeps): Authentication {
  const attachSession = sessionMiddleware(deps);
  return {
    callerByBearer: bearerAuthentication(deps),
    callerBySession: async (request, response) => {
      if (!hasSessionCookie(request)) return null;
      await attachSession(request, response);
      return callerOfSession(deps.credentials, request);
    },
    openSession: attachSession,
  };
}

export function hasSessionCookie(request: Request): boolean {
  const cookies = request.headers.cookie ?? '';
  return cookies.split(';').some((cookie) => cookie.trim().startsWith(`${SESSION_COOKIE}=`));
}
