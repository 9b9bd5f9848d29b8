import { parseBackendUrl } from '../../fleet/backend-policy/backend-address.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { maskedBackendUrl } from '../../fleet/bots/masked-backend-url.ts';
import { headersFor, SECRET_TOKEN_HEADER } from './backend-connections.ts';
import { SIGNATURE_HEADER } from './sign-delivery.ts';

/** A request to a backend as people see it: secrets are masked. */
export type ShownRequest = { method: 'POST'; url: string; headers: Record<string, string> };

const MASK = '****';

/** The request that a bot's backend gets, with these headers beside those of its settings. */
export function shownRequest(bot: Bot, headers: Record<string, string>): ShownRequest {
  const url = parseBackendUrl(bot.backend_url);
  const sent = { ...(url === null ? {} : headersFor(bot, url)), ...headers };
  return {
    method: 'POST',
    url: maskedBackendUrl(bot),
    headers: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, shownValue(name, value)])),
  };
}

function shownValue(name: string, value: string): string {
  // With a signature, somebody else could send the same body within minutes.
  if (name === SECRET_TOKEN_HEADER || name === SIGNATURE_HEADER) return MASK;
  return name === 'Authorization' ? `Basic ${MASK}` : value;
}
