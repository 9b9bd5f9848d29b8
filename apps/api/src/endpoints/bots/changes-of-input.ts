import type { updateBot } from '@flotilla/contract/operations/bots.ts';
import type { BotChanges } from '@flotilla/domain/bots/bot.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';
import type { z } from 'zod';

type ChangeInput = Omit<z.output<typeof updateBot.input>, 'id'>;

/** The fields that were named, in our own names; the others stay absent. */
export function changesOfInput(input: ChangeInput): BotChanges {
  const changes = {
    token: input.token,
    name: input.name,
    manageEnabled: input.manage_enabled,
    proxyEnabled: input.proxy_enabled,
    backendUrl: input.backend_url,
    secretToken: input.secret_token,
    longPollEnabled: input.long_poll_enabled,
    description: input.description,
    webhookMode: input.webhook_mode,
    maxConnections: input.max_connections,
    allowedUpdates: kindsOfInput(input.allowed_updates),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Kinds as a bot stores them: unknown ones are left out, none left means the default set (null), as at the platform. */
export function kindsOfInput(named: string[] | null | undefined): string[] | null | undefined {
  if (named === undefined) return undefined;
  const parsed = parseAllowedUpdates(named);
  return parsed.kind === 'only' ? parsed.kinds : null;
}
