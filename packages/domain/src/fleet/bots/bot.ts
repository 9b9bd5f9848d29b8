import type { MoveStep } from '@flotilla/contract/bot-moves.ts';
import type { BotTemplate } from '@flotilla/contract/bot-template.ts';
import type { BotRow, bot } from '@flotilla/contract/bots.ts';
import type { ActiveProgram } from './active-program.ts';
import type { ActiveRule } from './active-rule.ts';
import type { Signing } from './signing.ts';

/** The pace of the outbox for a bot, in messages. */
export type Pace = { per_second: number; per_chat_second: number; per_group_minute: number };

/** These fields are sealed in the row, or text there. Strings are '' when unset. */
type Opened = {
  token: string;
  backend_url: string;
  secret_token: string;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  pace: Pace;
  /** The settings of bots that this one adopts. */
  template: BotTemplate;
  /** null means the platform's default set. */
  allowed_updates: string[] | null;
};

type Sealed = 'token_sealed' | 'secret_token_sealed' | 'backend_url_sealed' | 'signing_sealed' | 'template_sealed';

/** A move to another Bot API server, as processes know it. Times are texts. */
export type Moving = {
  to: string;
  step: MoveStep;
  since: string;
  step_since: string;
  waits_until: string | null;
  reason: string;
};

/** A registered bot, as every process holds it. Never log the whole object, because it contains secrets. */
export type Bot = Omit<BotRow, Sealed | 'cursor_changes' | keyof Opened> &
  Opened & {
    /** Its enabled routing rules, in the order they run. */
    rules: ActiveRule[];
    /** True if a rule sends to chats of this bot; replies there are routed back to the source. */
    routedTo: boolean;
    programs: ActiveProgram[];
    /** null: it does not move. Absent where an older release wrote the mirror. */
    moving?: Moving | null;
  };

/** Settings that an operator or the bot itself may change; absent fields keep their value. */
export type BotChanges = Partial<
  Pick<
    Bot,
    | keyof (typeof bot)['changeInputs']
    | ('username' | 'disabled' | 'backend_certificate' | 'backend_ip_address')
    | ('parent_bot_id' | 'owner_user_id')
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

/** True if its messages are kept, so that people can read and answer them. */
export function keepsHistory(bot: Bot): boolean {
  return bot.manage_enabled;
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

/**
 * True if rules turns are needed, which also take answers to questions, and adopt bots. Push applies `drop` rules, so those alone
 * need none.
 */
export function routes(bot: Bot): boolean {
  return bot.manage_enabled && (bot.routedTo || bot.asks || bot.adopts || rulesMatchInTurns(bot));
}

/** True if what waits in the outbox of the bot is sent. */
export function sendsWaiting(bot: Pick<Bot, 'disabled' | 'manage_enabled' | 'moving'>): boolean {
  return bot.manage_enabled && !bot.disabled && !isBetweenServers(bot);
}

/** True if the platform pushes this bot's updates to us. What waits at a server that it leaves is polled. */
export function usesPlatformWebhook(bot: Pick<Bot, 'webhook_mode' | 'disabled' | 'moving'>): boolean {
  return bot.webhook_mode && !bot.disabled && !bot.moving;
}

/** True if workers poll the platform for this bot. */
export function polls(bot: Bot): boolean {
  if (bot.disabled || isBetweenServers(bot)) return false;
  return !bot.webhook_mode || Boolean(bot.moving);
}

/** True while a move keeps all calls from servers: they would log the bot in where it has just left, or too soon. */
export function isBetweenServers({ moving }: Pick<Bot, 'moving'>): boolean {
  return moving !== undefined && moving !== null && moving.step !== 'drain';
}
