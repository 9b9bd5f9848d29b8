import type { Operation } from '@flotilla/contract/operation.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { openSessionOf } from '../auth/session.ts';
import type { Context } from '../context.ts';
import type { RawFields } from '../http/read-fields.ts';
import { requireBots, requirePasswordChanged, requireRight, requireRole } from './authorize.ts';
import type { WhileAllowed } from './handler.ts';

interface AllowedCall {
  operation: Operation;
  request: Request;
  caller: Caller | null;
  fields: RawFields;
  /** The version of the credentials before the caller was looked up. */
  version: string | null;
}

/** Runs the work of a call for as long as the caller may make that call. */
export function whileAllowed(context: Context, call: AllowedCall): WhileAllowed {
  const { operation, request, caller, fields, version } = call;
  return async (work, check) => {
    if (caller === null)
      throw new FlotillaError('internal', 'A public operation has no credential to check while it waits');
    const ended = new AbortController();
    const session = caller.apiKey === null ? openSessionOf(request) : null;
    const held = context.credentialWatch.hold({ caller, session, version }, (now) => {
      try {
        if (now === null) throw new FlotillaError('unauthorized', 'The API key or session has ended');
        requirePasswordChanged(operation, now);
        requireRole(operation, now);
        requireBots(context, operation, now, fields);
        requireRight(operation, now);
        check?.(now);
      } catch (refusal) {
        ended.abort(refusal);
      }
    });
    try {
      const result = await work(ended.signal);
      ended.signal.throwIfAborted();
      return result;
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      held.release();
    }
  };
}
