import { randomUUID } from 'node:crypto';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { changeCredentials } from '../../people/accounts/change-credentials.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { serverOfName } from '../upstreams/server-of-name.ts';
import { describeNewBot } from './audited-bot.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { mirrorBot } from './bot-mirror.ts';
import { columnsOf, openBot } from './bot-row.ts';
import { botStore } from './bot-store.ts';
import { wakeTurns } from './change-bot.ts';
import { checkChanges } from './check-changes.ts';
import { requireManager } from './managed-token.ts';
import { nameKinds } from './named-kinds.ts';
import { baseForPushes } from './platform-webhook.ts';
import { switchIntake } from './switch-intake.ts';
import { resultOf, validateToken } from './validate-token.ts';

/** Stores more in the transaction of a new bot. */
export type Beside = (db: BotDeps['db'], bot: Bot) => Promise<void>;

/**
 * Registers a bot after the platform has confirmed its token, and starts its intake. A webhook set at the platform is
 * removed, and the updates waiting there are kept. Updates are forwarded if a backend is given. Throws FlotillaError: 'conflict' when the bot is registered already.
 */
export async function addBot(
  deps: BotDeps,
  by: Actor,
  wanted: BotChanges & { token: string; source: Bot['source'] },
  beside: Beside = async () => {},
): Promise<Bot> {
  const at = serverOfName(deps, wanted.upstream, wanted.environment);
  checkChanges(deps, wanted, null, baseForPushes(deps, at));
  const { webhook_mode = false, proxy_enabled = Boolean(wanted.backend_url), ...given } = wanted;
  const input = { ...given, proxy_enabled };
  const known = deps.directory.ready() && deps.directory.byToken(input.token);
  if (known) throw new FlotillaError('conflict', `This token is registered already, as bot ${known.id}`);
  const identity = await validateToken(deps, input.token, at);
  if (wanted.adopts) requireManager(identity);
  await requireAuditable(deps.db);
  resultOf(await deps.platform.call(input.token, 'deleteWebhook', { drop_pending_updates: false }, { at }));
  const id = await botStore(deps.db).nextId();
  const { token_sealed, token_hash, ...columns } = columnsOf(deps.secrets, id, input);
  const row = {
    id,
    name: identity.first_name,
    ...columns,
    telegram_id: identity.id,
    username: identity.username,
    token_sealed: token_sealed!,
    token_hash: token_hash!,
    source: input.source,
    registration_id: randomUUID(),
    allowed_updates: input.allowed_updates ? JSON.stringify(input.allowed_updates) : null,
  };
  const store = () =>
    deps.db.transaction().execute((transaction) => storeBot({ ...deps, db: transaction }, by, row, beside));
  // Accounts and keys may see bots by their labels.
  const bot = await (input.labels === undefined ? store() : changeCredentials(deps, store));
  const { waits } = await mirrorBot(deps, bot);
  await deps.directory.refresh();
  await nameKinds(deps, bot, input.allowed_updates);
  // The webhook's URL contains the bot's id, so the bot is polled until the platform has accepted the webhook.
  if (webhook_mode) return switchIntake(deps, by, bot, { webhook_mode }).catch((error) => tellAdded(bot, error));
  await wakeTurns(deps, bot, waits);
  return bot;
}

/** The bot stays, because updates may have come already. */
function tellAdded(bot: Bot, error: unknown): never {
  if (!(error instanceof FlotillaError)) throw error;
  const sentence = `The bot was added with the id ${bot.id} and is polled, but its webhook could not be set: ${error.message}`;
  throw new FlotillaError(error.code, sentence, error);
}

async function storeBot(
  deps: Pick<BotDeps, 'db' | 'secrets' | 'clock'>,
  by: Actor,
  wanted: Parameters<ReturnType<typeof botStore>['insert']>[0],
  beside: Beside,
): Promise<Bot> {
  const bots = botStore(deps.db);
  const row = await bots.insert(wanted);
  if (!row) throw new FlotillaError('conflict', 'A bot with this token is registered already');
  const bot = openBot(deps.secrets, row);
  await recordAction(deps, by, { action: 'bot_add', bot_id: bot.id, details: describeNewBot(bot) });
  await beside(deps.db, bot);
  return openBot(deps.secrets, (await bots.byId(bot.id))!);
}
