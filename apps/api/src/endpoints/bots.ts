import type { BotResource, botOperations } from '@flotilla/contract/bots.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { addBot } from '@flotilla/domain/bots/add-bot.ts';
import type { Bot, BotChanges } from '@flotilla/domain/bots/bot.ts';
import { type BotStatus, botState, readBotStatus, readBotStatuses } from '@flotilla/domain/bots/bot-status.ts';
import { checkBackendHealth } from '@flotilla/domain/bots/check-backend-health.ts';
import { deleteBot } from '@flotilla/domain/bots/delete-bot.ts';
import { maskedSecrets } from '@flotilla/domain/bots/masked-secrets.ts';
import { toggleBot } from '@flotilla/domain/bots/toggle-bot.ts';
import { updateBot } from '@flotilla/domain/bots/update-bot.ts';
import { validateToken } from '@flotilla/domain/bots/validate-token.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';
import type { Context } from '../context.ts';
import { requireBot } from '../http/bot-of-call.ts';
import type { Call, Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor } from '../http/page.ts';

export const botHandlers: Handlers<typeof botOperations> = {
  async listBots(context, { input, caller }) {
    const { limit, offset, q, state } = input;
    const [afterId] = decodeCursor(input.before, ['number']) ?? [0];
    const visible = context.directory.all().filter((bot) => seesBot(caller, bot.id) && isNamed(bot, q));
    // Only a filter by state needs the state of every bot.
    const found = state === undefined ? visible : await inState(context, visible, state);
    const rest = found.filter((bot) => bot.id > afterId).sort((one, other) => one.id - other.id);
    const page = cutPage(rest.slice(offset), limit, found.length, (bot) => [bot.id]);
    const statuses = await readBotStatuses(context, page.rows);
    return { ...page, rows: page.rows.map((bot, at) => presentBot(caller, bot, statuses[at]!)) };
  },

  async showBot(context, { input, caller }) {
    return presentBotNow(context, caller, requireBot(context, input.id));
  },

  async addBot(context, { input, caller, by }) {
    const bot = await addBot(context, by, { ...changesOfInput(input), token: input.token, source: 'web' });
    return presentBotNow(context, caller, bot);
  },

  async validateToken(context, { input }) {
    const { id, username, firstName } = await validateToken(context, input.token);
    return { id, username, first_name: firstName };
  },

  async updateBot(context, { input, caller, by }) {
    return presentBotNow(context, caller, await updateBot(context, by, input.id, changesOfInput(input)));
  },

  async toggleBotDisabled(context, { input, caller, by }) {
    return presentBotNow(context, caller, await toggleBot(context, by, input.id));
  },

  async revealToken(context, { input, by }) {
    const bot = requireBot(context, input.id);
    await recordAction(context, by, { action: 'token_reveal', botId: bot.id });
    return { token: bot.token };
  },

  async deleteBot(context, { input, by }) {
    await deleteBot(context, by, input.id);
    return OK;
  },

  async checkBackendHealth(context, { input }) {
    const health = await checkBackendHealth(context, requireBot(context, input.id));
    return { healthy: health.healthy, status_code: health.statusCode, latency_ms: health.latencyMs };
  },
};

async function inState(context: Context, bots: Bot[], state: ReturnType<typeof botState>): Promise<Bot[]> {
  const statuses = await readBotStatuses(context, bots);
  return bots.filter((bot, at) => botState(bot, statuses[at]!) === state);
}

function isNamed({ name, username }: Bot, q: string): boolean {
  const wanted = q.toLowerCase();
  if (wanted.startsWith('@')) return username.toLowerCase().startsWith(wanted.slice(1));
  return [name, username].some((text) => text.toLowerCase().includes(wanted));
}

type ChangeInput = Omit<Call<typeof botOperations.updateBot.input>['input'], 'id'>;

/** The given fields under the names of the domain; absent fields stay absent. */
function changesOfInput(input: ChangeInput): BotChanges {
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

/** Update kinds as a bot stores them, without unknown ones; null (the platform's default set) if none is left. */
export function kindsOfInput(named: string[] | null | undefined): string[] | null | undefined {
  if (named === undefined) return undefined;
  const parsed = parseAllowedUpdates(named);
  return parsed.kind === 'only' ? parsed.kinds : null;
}

/** The bot with its current state. */
async function presentBotNow(context: Context, caller: Caller, bot: Bot): Promise<BotResource> {
  return presentBot(caller, bot, await readBotStatus(context, bot));
}

/** Only API keys of admins get secrets unmasked, so that no page in a browser holds the tokens of a fleet. */
function presentBot(caller: Caller, bot: Bot, status: BotStatus): BotResource {
  const seesSecrets = caller.role === 'admin' && caller.apiKey !== null;
  const secrets = seesSecrets ? bot : maskedSecrets(bot);
  return {
    id: bot.id,
    token: secrets.token,
    name: bot.name,
    username: bot.username,
    source: bot.source,
    manage_enabled: bot.manageEnabled,
    proxy_enabled: bot.proxyEnabled,
    backend_url: secrets.backendUrl,
    secret_token: secrets.secretToken,
    long_poll_enabled: bot.longPollEnabled,
    description: bot.description,
    running: status.running,
    webhook_mode: bot.webhookMode,
    disabled: bot.disabled,
    max_connections: bot.maxConnections,
    ...(bot.allowedUpdates === null ? {} : { allowed_updates: bot.allowedUpdates }),
    last_error: status.lastError?.message ?? '',
    ...(status.lastError === null ? {} : { last_error_at: new Date(status.lastError.atMs).toISOString() }),
    ...(status.lastUpdateAtMs === null ? {} : { last_update_at: new Date(status.lastUpdateAtMs).toISOString() }),
    pending_update_count: status.pendingUpdateCount,
    backend_state: status.backendState,
    created_at: bot.createdAt.toISOString(),
  };
}
