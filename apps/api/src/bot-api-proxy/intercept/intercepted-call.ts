import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import type { BotApiAnswer } from '../answer.ts';
import type { ProxyDeps } from '../proxy-deps.ts';

/** A call of a registered bot that we answer ourselves. */
export type InterceptedCall = {
  bot: Bot;
  parameters: Parameters;
  /** Aborts when the client goes away or the process stops. */
  signal: AbortSignal;
};

export type Intercept = (deps: ProxyDeps, call: InterceptedCall) => Promise<BotApiAnswer>;
