import { ownId } from '@flotilla/contract/inputs.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import type { FindBots } from '../http/handler.ts';
import type { RawFields } from '../http/read-fields.ts';

const NOT_AMONG_YOURS = 'This bot is not among yours';
const anyId = ownId();

/**
 * Throws 'forbidden' when an input names a bot that is not among the caller's, before anything is said about the other
 * inputs. To the role user a bot that does not exist is one of these. What is no id is left to validation.
 */
export function requireBots(
  context: Context,
  { botInputs = [] }: Operation,
  caller: Caller | null,
  fields: RawFields,
): void {
  if (caller === null) return;
  for (const name of botInputs) {
    const id = anyId.safeParse(fields.values.get(name));
    if (id.success) requireSeenBot(context, caller, id.data);
  }
}

export function requireSeenBot({ directory }: Context, caller: Caller, id: number): void {
  if (!seesBot(caller, id)) refuse();
  if (caller.role === 'user' && directory.byId(id) === undefined) refuse();
}

/** The same for the bots of what the input `id` names: a tag, a route. */
export async function requireFoundBots(
  context: Context,
  findBots: FindBots | undefined,
  caller: Caller | null,
  fields: RawFields,
): Promise<void> {
  if (findBots === undefined || caller === null || caller.bots === 'all') return;
  const id = anyId.safeParse(fields.values.get('id'));
  if (!id.success) return;
  for (const botId of await findBots(context, id.data)) if (!seesBot(caller, botId)) refuse();
}

function refuse(): never {
  throw new FlotillaError('forbidden', NOT_AMONG_YOURS);
}
