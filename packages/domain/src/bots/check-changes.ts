import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { forbiddenReason, parseBackendUrl } from './backend-address.ts';
import type { BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';

/** Throws FlotillaError('bad_request') naming every field that cannot be stored as it is. */
export function checkChanges(deps: Pick<BotDeps, 'backendAllowedCidrs' | 'publicUrl'>, changes: BotChanges): void {
  const details = [];
  const backend = changes.backendUrl ? backendUrlFault(changes.backendUrl, deps.backendAllowedCidrs) : null;
  if (backend) details.push({ path: 'backend_url', reason: backend });
  if (changes.webhookMode && deps.publicUrl === null) {
    details.push({ path: 'webhook_mode', reason: 'needs the setting PUBLIC_URL' });
  }
  if (details.length === 0) return;
  const [first] = details;
  throw new FlotillaError('bad_request', `${first!.path}: ${first!.reason}`, { details });
}

/** Why no update may be sent to this URL, or null. */
function backendUrlFault(url: string, allowedCidrs: string[]): string | null {
  const parsed = parseBackendUrl(url);
  return parsed === null ? 'is not an http or https URL' : forbiddenReason(parsed.hostname, allowedCidrs);
}
