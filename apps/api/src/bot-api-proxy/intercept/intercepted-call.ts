import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';
import type { Context } from '../../context.ts';
import type { BotApiAnswer } from '../answer.ts';

/** A call that we answer ourselves, once its body is read. */
export type ReadCall = {
  parameters: Parameters;
  /** The bot's program, as the audit log names it. It is a function, because few calls change anything. */
  by(): Actor;
  /** Aborts when the client goes away or the process stops. */
  signal: AbortSignal;
};

/** The same for a registered bot. */
export type InterceptedCall = ReadCall & { bot: Bot };

export type Intercept = (context: Context, call: InterceptedCall) => Promise<BotApiAnswer>;

/** `allowed_updates` as a bot stores it: undefined keeps the stored value, null is the default set. */
export function storedKinds(parameters: Parameters): string[] | null | undefined {
  const wanted = parseAllowedUpdates(parameters.values.get('allowed_updates'));
  if (wanted.kind === 'unchanged') return undefined;
  return wanted.kind === 'default' ? null : wanted.kinds;
}
