import { resultOf } from '@flotilla/domain/bots/validate-token.ts';
import { handFile } from '@flotilla/domain/programs/program-files.ts';
import type { Context } from '../../context.ts';
import type { BotApiAnswer } from '../answer.ts';
import type { ProgramCall } from './program-webhook.ts';
import { hiddenSecret, withoutSecret } from './token-cutter.ts';

/** Asks the platform for the path of a file, which the program may then download. Throws FlotillaError. */
export async function getFile(context: Context, { bot, program, parameters }: ProgramCall): Promise<BotApiAnswer> {
  const answer = await context.platform.call(bot.token, 'getFile', Object.fromEntries(parameters.values));
  const secret = hiddenSecret(bot.token, '');
  if (answer.outcome === 'refused') {
    const { errorCode: code, description, retryAfterS } = answer;
    return {
      ok: false,
      code,
      description: withoutSecret(secret, description),
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
    };
  }
  const file = resultOf(answer);
  const path = (file as { file_path?: unknown } | null)?.file_path;
  // A Bot API server in local mode names a file on its own disk, which it does not serve.
  if (typeof path === 'string' && !path.startsWith('/')) {
    await handFile(context, { botId: bot.id, programId: program.id }, path);
  }
  return { ok: true, result: withoutSecret(secret, JSON.stringify(file)) };
}
