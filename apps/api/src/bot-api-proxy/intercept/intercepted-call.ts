import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import type { BotApiAnswer } from '../answer.ts';
import type { ProxyDeps } from '../proxy-deps.ts';

/** A call that we answer ourselves, once its body is read. */
export type ReadCall = {
  parameters: Parameters;
  /** The bot's program, as the audit log names it: few calls change something. */
  by(): Actor;
  /** Aborts when the client goes away or the process stops. */
  signal: AbortSignal;
};

/** The same, of a registered bot. */
export type InterceptedCall = ReadCall & { bot: Bot };

export type Intercept = (deps: ProxyDeps, call: InterceptedCall) => Promise<BotApiAnswer>;
