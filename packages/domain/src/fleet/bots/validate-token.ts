import { type FaultDetail, FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import { z } from 'zod';
import { quarantined } from '../installation/quarantine.ts';

export type PlatformIdentity = { id: number; username: string; first_name: string; can_manage_bots: boolean };

/** `<id>:<secret>`, as the platform issues them. */
const TOKEN = /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,80}$/;
/** The message for a refused token. The platform's "Unauthorized" would seem to be about the caller's credential. */
export const TOKEN_REFUSED = 'Telegram refused this bot token';
const REFUSING_TOKENS = [401, 404];
const ME = z.object({
  id: z.int(),
  username: z.string().default(''),
  first_name: z.string().default(''),
  can_manage_bots: z.boolean().default(false),
});

/**
 * Asks the server whose token this is. Throws FlotillaError: 'bad_request' for a malformed token, 'token_refused'
 * when the platform does not know it, 'platform_failed' or 'platform_timeout' when it gave no answer.
 */
export async function validateToken(
  deps: { platform: PlatformClient },
  token: string,
  at: AtServer,
): Promise<PlatformIdentity> {
  if (!TOKEN.test(token)) {
    throw new FlotillaError('bad_request', 'This is not a bot token', {
      details: [{ path: 'token', reason: 'must have the form 123456:secret' }],
    });
  }
  const answer = await deps.platform.call(token, 'getMe', {}, { at });
  // The platform answers 404 for a token whose form it never issues.
  if (answer.outcome === 'refused' && REFUSING_TOKENS.includes(answer.errorCode)) {
    throw tokenRefused(answer.errorCode, [{ path: 'token', reason: 'was refused by Telegram' }]);
  }
  const me = ME.safeParse(resultOf(answer));
  if (!me.success) throw new FlotillaError('platform_failed', 'The answer of the platform contains no bot');
  return me.data;
}

/** The result of a platform call for a caller who waits. Every other outcome is thrown as FlotillaError. */
export function resultOf(answer: PlatformAnswer): unknown {
  switch (answer.outcome) {
    case 'ok':
      return answer.result;
    case 'refused':
      if (answer.errorCode === 429) {
        throw new FlotillaError('too_many_requests', answer.description, { retryAfterS: answer.retryAfterS ?? 1 });
      }
      if (answer.errorCode === 401) throw tokenRefused(answer.errorCode);
      if (answer.errorCode >= 500)
        throw new FlotillaError('platform_failed', `The platform failed: ${answer.description}`);
      throw new FlotillaError('platform_refused', answer.description, {
        platformErrorCode: answer.errorCode,
        ...(answer.migrateToChatId === undefined ? {} : { migrateToChatId: answer.migrateToChatId }),
      });
    case 'unreachable':
      if (answer.quarantined === true) throw quarantined();
      if (answer.neverSent === true) {
        throw new FlotillaError('platform_failed', `The platform could not be reached: ${answer.reason}`);
      }
      throw answer.timedOut
        ? new FlotillaError('platform_timeout', `The platform did not answer in time${ifMade(answer)}`)
        : new FlotillaError(
            'platform_failed',
            `The connection to the platform broke: ${answer.reason}${ifMade(answer)}`,
          );
    case 'garbage':
      throw new FlotillaError(
        'platform_failed',
        `The platform answered something other than JSON of the Bot API (status ${answer.status})${ifMade(answer)}`,
      );
  }
}

/** Whoever reads it must not send again without a look. */
function ifMade(answer: PlatformAnswer): string {
  return fateOf(answer) === 'doubt' ? '; it may have carried the call out' : '';
}

function tokenRefused(platformErrorCode: number, details?: FaultDetail[]): FlotillaError {
  return new FlotillaError('token_refused', TOKEN_REFUSED, { platformErrorCode, ...(details && { details }) });
}
