import { isDeepStrictEqual } from 'node:util';
import type { Bot, BotChanges } from './bot.ts';
import { maskedBackendUrl } from './masked-backend-url.ts';
import { maskedTemplate, unmaskedTemplate } from './template.ts';

export const MASK = '****';

type Backend = Pick<Bot, 'secret_token' | 'backend_url'>;

/** A bot's secrets as they are shown to callers who may not see them. */
export function maskedSecrets(bot: Bot): Pick<Bot, 'token' | 'secret_token' | 'backend_url' | 'template'> {
  return {
    // The part before the colon is the bot's public id.
    token: `${bot.token.split(':', 1)[0]}:${MASK}`,
    ...maskedBackend(bot),
    template: maskedTemplate(bot.template),
  };
}

/** The same for a backend, of a bot or of a program. */
export function maskedBackend(backend: Backend): Backend {
  return { secret_token: backend.secret_token === '' ? '' : MASK, backend_url: maskedBackendUrl(backend) };
}

/** True if the text is the mask of a secret token. */
export function isMaskOfSecret(secretToken: string | undefined): boolean {
  return secretToken === MASK;
}

/** Drops secrets that were sent back masked, because they are not changes. */
export function withoutMasks(bot: Bot, { template, ...changes }: BotChanges): BotChanges {
  const shown = maskedSecrets(bot);
  const isMasked = isDeepStrictEqual(template, shown.template) && !isDeepStrictEqual(template, bot.template);
  const given = Object.entries(changes) as [keyof BotChanges, unknown][];
  return {
    ...Object.fromEntries(given.filter(([name, value]) => value === '' || value !== (shown as BotChanges)[name])),
    ...(template !== undefined && !isMasked && { template: unmaskedTemplate(template, bot.template) }),
  };
}
