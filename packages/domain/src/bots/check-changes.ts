import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { forbiddenReason } from './backend-address.ts';
import type { BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';

/** Throws FlotillaError('bad_request') naming every field that cannot be stored as it is. */
export function checkChanges(deps: Pick<BotDeps, 'backendAllowedCidrs'>, changes: BotChanges): void {
  const details = [];
  const backend = changes.backendUrl ? backendUrlFault(changes.backendUrl, deps.backendAllowedCidrs) : null;
  if (backend) details.push({ path: 'backend_url', reason: backend });
  if (changes.webhookMode) {
    details.push({ path: 'webhook_mode', reason: 'this release takes updates in by polling only' });
  }
  if (details.length === 0) return;
  const [first] = details;
  throw new FlotillaError('bad_request', `${first!.path}: ${first!.reason}`, { details });
}

/** Why no update may be sent to this URL, or null. */
export function backendUrlFault(url: string, allowedCidrs: string[]): string | null {
  if (!URL.canParse(url)) return 'is not a URL';
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin http:// or https://';
  return forbiddenReason(hostname, allowedCidrs);
}
