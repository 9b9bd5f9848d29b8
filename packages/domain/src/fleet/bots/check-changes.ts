import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { forbiddenReason, parseBackendUrl, portOf } from '../backend-policy/backend-address.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { isMaskOfSecret, MASK } from './masked-secrets.ts';
import { HOST_LEFT_OPEN, leavesHostOpen, urlsOf, withSamples } from './template.ts';

type Fault = { path: string; reason: string };
export type CheckDeps = Pick<BotDeps, 'backendPolicy' | 'publicUrl'>;

/**
 * Throws FlotillaError('bad_request') that names every unacceptable field. `known` is the bot as it was, null for a new
 * one: a value that it has already may be given again. `pushBase` is that of baseForPushes.
 */
export function checkChanges(
  deps: CheckDeps,
  changes: BotChanges,
  known: Pick<Bot, 'backend_url'> | null,
  pushBase = deps.publicUrl,
): void {
  const faults: Fault[] = [];
  const { backend_url } = changes;
  if (backend_url) {
    const reason = backend_url === known?.backend_url ? urlFault(deps, backend_url) : typedUrlFault(deps, backend_url);
    if (reason !== null) faults.push({ path: 'backend_url', reason });
  }
  if (changes.webhook_mode && pushBase === null) {
    faults.push({ path: 'webhook_mode', reason: 'needs the setting PUBLIC_URL' });
  }
  for (const [path, url] of urlsOf(changes.template ?? {})) {
    const reason = templateUrlFault(deps, url);
    if (reason !== null) faults.push({ path, reason });
  }
  if (isMaskOfSecret(changes.secret_token))
    faults.push({ path: 'secret_token', reason: 'is a masked value, not a secret' });
  refuse(faults);
}

function templateUrlFault(deps: CheckDeps, url: string): string | null {
  if (url.includes(MASK)) return 'is a masked value';
  return leavesHostOpen(url) ? HOST_LEFT_OPEN : typedUrlFault(deps, withSamples(url));
}

/** Throws FlotillaError('bad_request') for a URL that no update may be sent to. Without a scheme it counts as https. */
export function checkBackendUrl(deps: CheckDeps, url: string): void {
  const reason = urlFault(deps, url);
  if (reason !== null) refuse([{ path: 'backend_url', reason }]);
}

/**
 * Why nothing may be sent to a URL that somebody typed; null: it is fine. The platform reads a webhook without a scheme
 * as https, but a person who typed one probably forgot the scheme.
 */
export function typedUrlFault(deps: CheckDeps, url: string): string | null {
  return /^https?:\/\//i.test(url) ? urlFault(deps, url) : 'must begin with http:// or https://';
}

function urlFault(deps: CheckDeps, url: string): string | null {
  const parsed = parseBackendUrl(url);
  if (parsed === null) return 'is not an http or https URL';
  return forbiddenReason(parsed.hostname, portOf(parsed), deps.backendPolicy);
}

function refuse(faults: Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  throw new FlotillaError('bad_request', `${first.path}: ${first.reason}`, { details: faults });
}
