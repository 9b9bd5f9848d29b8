import type { FloodMode } from '@flotilla/contract/bots.ts';
import type { ActiveProgram } from './active-program.ts';
import type { ActiveRule } from './active-rule.ts';
import type { Signing } from './signing.ts';

/** The pace of the outbox for a bot, in messages. */
export type Pace = { perSecond: number; perChatSecond: number; perGroupMinute: number };

/** A registered bot, as every process holds it. Never log the whole object, because it contains secrets. */
export type Bot = {
  /** Our own id, never reused. */
  id: number;
  /** The platform's id: the part of the token before the colon. */
  telegramId: number;
  token: string;
  tokenHash: string;
  name: string;
  username: string;
  source: 'cli' | 'web';
  manageEnabled: boolean;
  proxyEnabled: boolean;
  longPollEnabled: boolean;
  webhookMode: boolean;
  disabled: boolean;
  /** '' when unset, like the other strings. */
  backendUrl: string;
  secretToken: string;
  backendCertificate: string;
  /** The address to which the host of `backendUrl` is pinned. */
  backendIpAddress: string;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  description: string;
  maxConnections: number;
  /** Seconds without a poll after which a reader with waiting updates counts as silent; 0: never. */
  silentAfterS: number;
  /** The behaviour of its calls through the proxy while the platform takes none: see delivery/flood. */
  flood: FloodMode;
  pace: Pace;
  /** null means the platform's default set. */
  allowedUpdates: string[] | null;
  /** Unknown kinds of updates that any of its readers ever named. */
  namedKinds: string[];
  /** Its enabled routing rules, in the order they run. */
  rules: ActiveRule[];
  /** True if a rule sends to chats of this bot; replies there are routed back to the source. */
  routedTo: boolean;
  programs: ActiveProgram[];
  /** True from its first question on: presses of buttons of questions are kept from all readers. */
  asks: boolean;
  registrationId: string;
  revision: number;
  /** Update ids up to this one may have been given out. */
  reservedUpdateId: number;
  createdAt: Date;
};

/** Settings that an operator or the bot itself may change; absent fields keep their value. */
export type BotChanges = Partial<
  Pick<
    Bot,
    | 'name'
    | 'username'
    | 'manageEnabled'
    | 'proxyEnabled'
    | 'longPollEnabled'
    | 'webhookMode'
    | 'disabled'
    | 'backendUrl'
    | 'secretToken'
    | 'backendCertificate'
    | 'backendIpAddress'
    | 'description'
    | 'maxConnections'
    | 'silentAfterS'
    | 'flood'
    | 'pace'
    | 'allowedUpdates'
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
  return bot.proxyEnabled && bot.backendUrl !== '';
}

/** True if updates of the bot go to the backend of this program. */
export function programPushes(bot: Pick<Bot, 'disabled'>, program: Pick<ActiveProgram, 'mode' | 'enabled'>): boolean {
  return program.mode === 'push' && program.enabled && !bot.disabled;
}

/** The rules that run. A bot that is not managed has none. */
export function rulesOf(bot: Bot): ActiveRule[] {
  return bot.manageEnabled ? bot.rules : [];
}

/**
 * True if rules turns match all messages of the bot against its rules, and count the hits. Where every rule drops, push does both.
 */
export function rulesMatchInTurns(bot: Bot): boolean {
  return rulesOf(bot).some((rule) => rule.action !== 'drop');
}

/** True if rules turns are needed, which also take answers to questions. Push applies `drop` rules, so those alone need none. */
export function routes(bot: Bot): boolean {
  return bot.manageEnabled && (bot.routedTo || bot.asks || rulesMatchInTurns(bot));
}

/** True if what waits in the outbox of the bot is sent. */
export function sendsWaiting(bot: Pick<Bot, 'disabled' | 'manageEnabled'>): boolean {
  return bot.manageEnabled && !bot.disabled;
}

/** True if the platform pushes this bot's updates to us. */
export function usesPlatformWebhook(bot: Pick<Bot, 'webhookMode' | 'disabled'>): boolean {
  return bot.webhookMode && !bot.disabled;
}

/** True if workers poll the platform for this bot. */
export function polls(bot: Bot): boolean {
  return !bot.webhookMode && !bot.disabled;
}
