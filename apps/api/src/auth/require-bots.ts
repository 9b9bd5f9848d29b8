import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { ownId } from '@flotilla/contract/input-types.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import type { RawFields } from '../http/read-fields.ts';

const botId = ownId();

/**
 * Throws 'forbidden' when an input names a bot that is not among the caller's, before anything is said about the other
 * inputs or about whether it exists. What is no id is left to validation.
 */
export function requireBots({ botInputs = [] }: Operation, caller: Caller | null, fields: RawFields): void {
  if (caller === null || caller.bots === 'all') return;
  for (const name of botInputs) {
    const id = botId.safeParse(fields.values.get(name));
    if (id.success && !seesBot(caller, id.data)) throw new FlotillaError('forbidden', 'This bot is not among yours');
  }
}
