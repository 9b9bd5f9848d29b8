import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { type CheckDeps, checkBackendUrl, checkChanges } from '../../fleet/bots/check-changes.ts';
import type { Program, ProgramChanges } from './program.ts';

/**
 * Throws FlotillaError('bad_request') for a backend that no update may be sent to, or a program that would push without
 * one. `known` is the program as it was, null for a new one: a URL that it has already may be given again.
 */
export function checkProgram(deps: CheckDeps, changes: ProgramChanges, known: Program | null): void {
  const { backend_url = known?.backend_url ?? '', mode = known?.mode } = changes;
  if (changes.backend_url !== undefined) checkUrl(deps, changes, changes.backend_url, known);
  if (changes.secret_token !== undefined) checkChanges(deps, { secret_token: changes.secret_token }, known);
  if (mode === 'push' && backend_url === '') throw refusedInput('backend_url', 'is required for mode push');
}

/** setWebhook takes the same for a program as for the bot's own backend. */
function checkUrl(deps: CheckDeps, { webhook_token_id }: ProgramChanges, url: string, known: Program | null): void {
  if (typeof webhook_token_id === 'number') checkBackendUrl(deps, url);
  else checkChanges(deps, { backend_url: url }, known);
}
