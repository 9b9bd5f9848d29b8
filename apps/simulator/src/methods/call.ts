import type { SimBot } from '../bots/sim-bot.ts';
import type { Params } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';

/** One Bot API call in progress. */
export type Call = { sim: Simulator; bot: SimBot; params: Params };

/** A method; its result is serialised as JSON, and it throws BotApiError to refuse. */
export type Method = (call: Call) => unknown;
