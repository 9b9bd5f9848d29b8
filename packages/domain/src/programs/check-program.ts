import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import { checkChanges } from '../bots/check-changes.ts';
import type { Program, ProgramChanges } from './program.ts';

/**
 * Throws FlotillaError('bad_request') for a backend that no update may be sent to, or a program that would push without
 * one. `known` is the program as it was, null for a new one: a URL that it has already may be given again.
 */
export function checkProgram(
  deps: Pick<BotDeps, 'backendPolicy' | 'publicUrl'>,
  changes: ProgramChanges,
  known: Program | null,
): void {
  const { backendUrl = known?.backendUrl ?? '', mode = known?.mode } = changes;
  if (changes.backendUrl !== undefined) checkChanges(deps, { backendUrl: changes.backendUrl }, known);
  if (changes.secretToken !== undefined) checkChanges(deps, { secretToken: changes.secretToken }, known);
  if (mode === 'push' && backendUrl === '') throw refusedInput('backend_url', 'is required for mode push');
}
