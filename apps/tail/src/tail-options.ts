import { parseArgs } from 'node:util';
import { readSettings } from '@flotilla/runtime/env.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';

export const USAGE = `Brings the updates of a bot to a program on this machine. Its own readers get them as well.

  npm run tail -- --bot <id> --to <url> [options]

  --bot <id>       the id of the bot in Flotilla
  --to <url>       where to POST each update, for example http://localhost:3000
  --api <url>      Flotilla [http://localhost:8080]
  --key <key>      an API key; better in the environment, as FLOTILLA_API_KEY
  --secret <text>  the secret token to send along [that of the bot, if the key is an admin's]
  --chat=<id>      only the updates of this chat
  --kinds <list>   only these kinds, for example message,callback_query
  --once           end after the first update`;

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

const text = { type: 'string' } as const;
const OPTIONS = {
  ...{ bot: text, to: text, api: text, key: text, secret: text, chat: text, kinds: text },
  once: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

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

/** Reads the arguments of the command; null when it was asked for help. Throws 'bad_request' with every fault. */
export function readTailOptions(args: string[]): TailOptions | null {
  const given = parsed(args);
  if (given.help) return null;
  const { FLOTILLA_API_KEY: key } = readSettings(SETTINGS);
  const read = GIVEN.safeParse({ key, secret: null, chat: null, kinds: null, ...given });
  if (!read.success) {
    throw usageError(read.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('\n'));
  }
  const { bot: botId, chat: chatId, api, ...rest } = read.data;
  return { ...rest, botId, chatId, api: api.replace(/\/+$/, ''), once: given.once ?? false };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function usageError(faults: string): FlotillaError {
  return new FlotillaError('bad_request', `${faults}\n\n${USAGE}`);
}
