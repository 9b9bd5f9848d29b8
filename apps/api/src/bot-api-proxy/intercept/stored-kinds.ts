import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';

/** `allowed_updates` as a bot stores it: undefined leaves it as it is, null is the default set. */
export function storedKinds(parameters: Parameters): string[] | null | undefined {
  const wanted = parseAllowedUpdates(parameters.values.get('allowed_updates'));
  if (wanted.kind === 'unchanged') return undefined;
  return wanted.kind === 'default' ? null : wanted.kinds;
}
