import { readSettings } from '@flotilla/runtime/env.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { Command } from 'commander';
import { z } from 'zod';

export interface TailOptions {
  api: string;
  key: string;
  botId: number;
  to: string;
  secret: string | null;
  chatId: number | null;
  kinds: ReadonlySet<string> | null;
  once: boolean;
}

const isWeb = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
const url = (missing?: string) => z.string(missing).refine(isWeb, 'must be a URL that begins with http:// or https://');
const id = (pattern: RegExp, missing?: string) =>
  z
    .string(missing)
    .regex(pattern, 'must be an id')
    .transform(Number)
    .refine(Number.isSafeInteger, 'is too large for an id');

const GIVEN = z.object({
  bot: id(/^[1-9]\d*$/, 'is missing'),
  to: url('is missing'),
  api: url().default('http://localhost:8080'),
  key: z
    .string('is missing; set FLOTILLA_API_KEY')
    .regex(/^flt_[\x21-\x7e]+$/, 'is not an API key: API keys begin with flt_'),
  secret: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must have 1 to 256 letters, digits, - and _')
    .nullable(),
  chat: id(/^-?[1-9]\d*$/).nullable(),
  kinds: z
    .string()
    .regex(/^[a-z_]+(,[a-z_]+)*$/, 'must be kinds of updates, separated by commas')
    .transform((list) => new Set(list.split(',')))
    .nullable(),
});

const SETTINGS = z.object({ FLOTILLA_API_KEY: z.string().optional() });

/** The command, which hands what it is given to `run`. */
export function tailCommand(run: (given: Record<string, unknown>) => void): Command {
  return new Command('tail')
    .summary('bring the updates of a bot to a program on this machine')
    .description('Brings the updates of a bot to a program on this machine. Its own readers get them as well.')
    .option('--bot <id>', 'the id of the bot in Flotilla')
    .option('--to <url>', 'where to POST each update, for example http://localhost:3000')
    .option('--api <url>', 'Flotilla (default: http://localhost:8080)')
    .option('--key <key>', 'an API key; better in the environment, as FLOTILLA_API_KEY')
    .option('--secret <text>', "the secret token to send along (default: that of the bot, if the key is an admin's)")
    .option('--chat <id>', 'only the updates of this chat')
    .option('--kinds <list>', 'only these kinds, for example message,callback_query')
    .option('--once', 'end after the first update')
    .action((options: Record<string, unknown>) => run(options));
}

/** Checks the options of the command. Throws 'bad_request' with every fault. */
export function readTailOptions(given: Record<string, unknown>): TailOptions {
  const { FLOTILLA_API_KEY: key } = readSettings(SETTINGS);
  const read = GIVEN.safeParse({ key, secret: null, chat: null, kinds: null, ...given });
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('\n');
    throw new FlotillaError('bad_request', `${faults}\nflotilla tail --help says what there is.`);
  }
  const { bot: botId, chat: chatId, api, ...rest } = read.data;
  return { ...rest, botId, chatId, api: api.replace(/\/+$/, ''), once: given.once === true };
}
