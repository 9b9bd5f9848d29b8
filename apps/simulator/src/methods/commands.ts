import { badRequest } from '../bot-api-error.ts';
import { json, jsonObject, type Params, text } from '../http/params.ts';
import type { Call } from './call.ts';

type Command = { command: string; description: string };

export function setMyCommands({ sim, bot, params }: Call): true {
  const given = json(params, 'commands');
  if (!Array.isArray(given)) throw badRequest("can't parse commands JSON object");
  if (given.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  const commands = given.map((one: Partial<Command> | null) => {
    const command = String(one?.command ?? '').replace(/^\//, '');
    const description = String(one?.description ?? '');
    if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
    if (description === '' || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    return { command, description };
  });
  bot.commands.set(scopeKey(params), commands);
  sim.storage.saveBot(bot);
  return true;
}

export function getMyCommands({ bot, params }: Call): Command[] {
  return bot.commands.get(scopeKey(params)) ?? [];
}

export function deleteMyCommands({ sim, bot, params }: Call): true {
  bot.commands.delete(scopeKey(params));
  sim.storage.saveBot(bot);
  return true;
}

function scopeKey(params: Params): string {
  const scope = jsonObject(params, 'scope') ?? {};
  const { type = 'default', chat_id = '', user_id = '' } = scope;
  return [type, chat_id, user_id, text(params, 'language_code')].join('/');
}
