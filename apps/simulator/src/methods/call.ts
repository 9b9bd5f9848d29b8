import type { SimBot } from '../bots/sim-bot.ts';
import type { Params } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';

/** One Bot API call being carried out. */
export type Call = { sim: Simulator; bot: SimBot; params: Params };

/** A method whose result is shown as JSON; refusals are thrown as BotApiError. */
export type Method = (call: Call) => unknown;
