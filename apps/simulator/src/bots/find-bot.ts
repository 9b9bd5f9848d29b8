import { BotApiError } from '../bot-api-error.ts';
import type { Simulator } from '../simulator.ts';
import type { SimBot } from './sim-bot.ts';

/** Finds the bot of a token; throws the platform's error for an unknown token (ClientManager.cpp:73-85). */
export function findBot(sim: Simulator, token: string, isTest: boolean): SimBot {
  const colon = token.indexOf(':');
  if (colon < 0 || token.startsWith('0') || token.length > 80) throw invalidToken();
  const idText = token.slice(0, colon);
  if (!/^-?\d+$/.test(idText)) throw new BotApiError(421, 'Misdirected Request: unallowed token specified');
  const id = Number(idText);
  if (id <= 0 || id >= 2 ** 54) throw invalidToken();
  const bot = sim.bots.get(id);
  if (bot === undefined || bot.token !== token || (bot.isTest && !isTest)) throw new BotApiError(401, 'Unauthorized');
  return bot;
}

function invalidToken(): BotApiError {
  return new BotApiError(401, 'Unauthorized: invalid token specified');
}
