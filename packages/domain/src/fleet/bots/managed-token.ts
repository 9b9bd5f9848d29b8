import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { type Bot, type BotChanges, usesPlatformWebhook } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { type ChangeOptions, changeBot } from './change-bot.ts';
import { newestBot } from './newest-bot.ts';
import { setPlatformWebhook } from './platform-webhook.ts';
import { requireTokenOf } from './token-of-bot.ts';
import { type PlatformIdentity, resultOf } from './validate-token.ts';

type Parent = Pick<Bot, 'token' | 'upstream' | 'environment'>;

/** The token may be replaced while it is stored. */
const STORED_AT_MOST = 3;

/** Throws FlotillaError('bad_request') for a bot that may not manage others. */
export function requireManager({ can_manage_bots }: PlatformIdentity): void {
  if (!can_manage_bots) throw refusedInput('adopts', 'needs a bot that may manage bots: switch it on at BotFather');
}

/** The token of a bot at the platform, asked for or replaced by the bot that manages it. Throws FlotillaError. */
export async function managedToken(
  { platform }: Pick<BotDeps, 'platform'>,
  parent: Parent,
  telegramId: number,
  method: 'getManagedBotToken' | 'replaceManagedBotToken' = 'getManagedBotToken',
): Promise<string> {
  const token = resultOf(await platform.call(parent.token, method, { user_id: telegramId }, { at: parent }));
  if (typeof token === 'string') return token;
  throw new FlotillaError('platform_failed', 'The answer of the platform contains no token');
}

/**
 * Stores a token that the server of the parent gave out for a managed bot, and sets its webhook anew. The bot's own server must say
 * that the token is this bot's. Two that do this at once agree, as each asks once more which token counts, and none takes the place of a
 * token that it did not know. Throws FlotillaError.
 */
export async function keepManagedToken(
  deps: BotDeps,
  by: Actor,
  { parent, bot, token }: { parent: Parent; bot: Bot; token: string },
  changes: BotChanges,
  options: ChangeOptions,
): Promise<Bot> {
  let [latest, changed] = [token, bot];
  for (let times = 1; ; times += 1) {
    const given = latest;
    const refusal = given === changed.token ? null : await refusalOf(deps, bot, given);
    if (refusal === null) {
      const stored = await storeToken(deps, by, changed, { ...changes, token: given }, options);
      if (stored === null) {
        changed = await newestBot(deps, changed);
        latest = await managedToken(deps, parent, bot.telegram_id);
        if (times < STORED_AT_MOST) continue;
        throw new FlotillaError('conflict', 'Its token was replaced meanwhile: try again');
      }
      changed = stored;
    }
    latest = await managedToken(deps, parent, bot.telegram_id).catch(() => given);
    if (latest !== given && times < STORED_AT_MOST) continue;
    if (refusal !== null) throw refusal;
    break;
  }
  if (usesPlatformWebhook(changed)) await setWebhookAnew(deps, changed);
  return changed;
}

/** null: another token was stored meanwhile, which may be newer. */
async function storeToken(
  deps: BotDeps,
  by: Actor,
  known: Bot,
  changes: BotChanges,
  options: ChangeOptions,
): Promise<Bot | null> {
  const replaced = new FlotillaError('conflict', 'Its token was replaced meanwhile');
  const check = ({ token }: Bot) => {
    if (token !== known.token && token !== changes.token) throw replaced;
  };
  return changeBot(deps, by, known.id, changes, { ...options, check }).catch((error: unknown) => {
    if (error === replaced) return null;
    throw error;
  });
}

/** Why the platform does not know a token, as when it was replaced meanwhile; null: it is this bot's. Throws FlotillaError. */
async function refusalOf(deps: BotDeps, bot: Bot, token: string): Promise<FlotillaError | null> {
  try {
    await requireTokenOf(deps, bot, token);
    return null;
  } catch (error) {
    if (error instanceof FlotillaError && error.code === 'token_refused') return error;
    throw error;
  }
}

/** Its secret comes from the token. Until it is set, the platform keeps what we refuse; upkeep sets it otherwise. */
async function setWebhookAnew(deps: BotDeps, bot: Bot): Promise<void> {
  await setPlatformWebhook(deps, bot).catch((error: unknown) =>
    deps.log.warn(
      { err: error, bot: bot.id },
      'the webhook of a bot with a new token could not be set; upkeep tries again',
    ),
  );
}
