import type { FloodMode } from '@flotilla/contract/bots.ts';
import type { ActiveProgram } from './active-program.ts';
import type { ActiveRule } from './active-rule.ts';
import type { Signing } from './signing.ts';

/** What the outbox may send for a bot, in messages. */
export type Pace = { per_second: number; per_chat_second: number; per_group_minute: number };

/** A registered bot, as every process holds it. Never log the whole object, because it contains secrets. */
export type Bot = {
  /** Our own id, never reused. */
  id: number;
  /** The platform's id: the part of the token before the colon. */
  telegram_id: number;
  token: string;
  token_hash: string;
  name: string;
  username: string;
  source: 'cli' | 'web';
  manage_enabled: boolean;
  proxy_enabled: boolean;
  long_poll_enabled: boolean;
  webhook_mode: boolean;
  disabled: boolean;
  /** '' when unset, like the other strings. */
  backend_url: string;
  secret_token: string;
  backend_certificate: string;
  /** The address to which the host of `backend_url` is pinned. */
  backend_ip_address: string;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  description: string;
  max_connections: number;
  /** Seconds without a poll after which a reader with waiting updates counts as silent; 0: never. */
  silent_after_s: number;
  /** The behaviour of its calls through the proxy while the platform takes none: see delivery/flood. */
  flood: FloodMode;
  pace: Pace;
  /** null means the platform's default set. */
  allowed_updates: string[] | null;
  /** Unknown kinds of updates that any of its readers ever named. */
  named_kinds: string[];
  /** Its enabled routing rules, in the order they run. */
  rules: ActiveRule[];
  /** True if a rule sends to chats of this bot; replies there are routed back to the source. */
  routedTo: boolean;
  programs: ActiveProgram[];
  /** True from its first question on: presses of buttons of questions are kept from all readers. */
  asks: boolean;
  registration_id: string;
  revision: number;
  /** Update ids up to this one may have been given out. */
  reserved_update_id: number;
  created_at: Date;
};

/** Settings that an operator or the bot itself may change; absent fields keep their value. */
export type BotChanges = Partial<
  Pick<
    Bot,
    | 'name'
    | 'username'
    | 'manage_enabled'
    | 'proxy_enabled'
    | 'long_poll_enabled'
    | 'webhook_mode'
    | 'disabled'
    | 'backend_url'
    | 'secret_token'
    | 'backend_certificate'
    | 'backend_ip_address'
    | 'description'
    | 'max_connections'
    | 'silent_after_s'
    | 'flood'
    | 'pace'
    | 'allowed_updates'
    | 'token'
  >
>;

export const DEFAULT_MAX_CONNECTIONS = 40;

/** True if updates of this bot go to its backend. */
export function pushes(bot: Bot): boolean {
  return hasBackend(bot) && !bot.disabled;
}

/** The same, also while the bot is disabled and its backlog waits. */
export function hasBackend(bot: Bot): boolean {
  return bot.proxy_enabled && bot.backend_url !== '';
}

/** True if updates of the bot go to the backend of this program. */
export function programPushes(bot: Pick<Bot, 'disabled'>, program: Pick<ActiveProgram, 'mode' | 'enabled'>): boolean {
  return program.mode === 'push' && program.enabled && !bot.disabled;
}

/** The rules that run. A bot that is not managed has none. */
export function rulesOf(bot: Bot): ActiveRule[] {
  return bot.manage_enabled ? bot.rules : [];
}

/**
 * True if rules turns match all messages of the bot against its rules, and count the hits. Where every rule drops, push does both.
 */
export function rulesMatchInTurns(bot: Bot): boolean {
  return rulesOf(bot).some((rule) => rule.action !== 'drop');
}

/** True if rules turns are needed, which also take answers to questions. Push applies `drop` rules, so those alone need none. */
export function routes(bot: Bot): boolean {
  return bot.manage_enabled && (bot.routedTo || bot.asks || rulesMatchInTurns(bot));
}

/** True if what waits in the outbox of the bot is sent. */
export function sendsWaiting(bot: Pick<Bot, 'disabled' | 'manage_enabled'>): boolean {
  return bot.manage_enabled && !bot.disabled;
}

/** True if the platform pushes this bot's updates to us. */
export function usesPlatformWebhook(bot: Pick<Bot, 'webhook_mode' | 'disabled'>): boolean {
  return bot.webhook_mode && !bot.disabled;
}

/** True if workers poll the platform for this bot. */
export function polls(bot: Bot): boolean {
  return !bot.webhook_mode && !bot.disabled;
}
