import { randomBytes, randomInt } from 'node:crypto';
import { allowPrivateTopics } from '../chats/topic.ts';
import { newFloodState } from '../faults/flood-state.ts';
import type { Simulator } from '../simulator.ts';
import { newQueue, type QueueWatcher, randomUpdateId } from '../updates/update-queue.ts';
import { letManageBots } from './bot-settings.ts';
import { newCallLog } from './call-log.ts';
import { setPrivacyMode } from './privacy-mode.ts';
import type { SimBot } from './sim-bot.ts';

export type NewBot = {
  token?: string | undefined;
  name?: string | undefined;
  username?: string | undefined;
  /** The first update_id; random from 2 000 001 to 10^9 when not given, as on the platform. */
  nextUpdateId?: number | undefined;
  /** The first message_id in its private chats; 1 when not given. */
  nextMessageId?: number | undefined;
  /** Its private chats have topics. */
  topics?: boolean | undefined;
  /** In groups it gets only what concerns it. */
  privacy?: boolean | undefined;
  /** It may manage bots that people make for it. */
  manages?: boolean | undefined;
  /** It is of the test environment. */
  test?: boolean | undefined;
};

/** Registers a bot, as @BotFather would. */
export function createBot(sim: Simulator, wanted: NewBot = {}): SimBot {
  const token = wanted.token ?? `${randomInt(1_000_000_000, 7_000_000_000)}:${newSecret()}`;
  const id = Number(token.split(':')[0]);
  const user = { id, first_name: wanted.name ?? `Bot ${id}`, username: wanted.username ?? `bot${id}_bot` };
  const bot = newBot(sim, { ...user, is_bot: true }, token, {
    nextUpdateId: wanted.nextUpdateId ?? randomUpdateId(),
    nextMessageId: wanted.nextMessageId ?? 1,
  });
  bot.isTest = wanted.test === true;
  if (wanted.topics === true) allowPrivateTopics(bot);
  sim.bots.set(id, bot);
  setPrivacyMode(sim, bot, wanted.privacy === true);
  if (wanted.manages === true) letManageBots(sim, bot);
  sim.storage.saveBot(bot);
  return bot;
}

/** A bot without history, not yet registered with the simulator. */
export function newBot(
  sim: Simulator,
  user: SimBot['user'],
  token: string,
  { nextUpdateId, nextMessageId }: { nextUpdateId: number; nextMessageId: number },
): SimBot {
  const watcher: QueueWatcher = {
    added: (update) => sim.storage.saveUpdate(bot, update),
    removed: (update) => sim.storage.removeUpdate(bot, update),
  };
  const bot: SimBot = {
    user,
    token,
    queue: newQueue(nextUpdateId, watcher),
    allowedUpdates: null,
    waiter: null,
    wakeTimers: { last: undefined, firstAtMs: undefined },
    lastGetUpdates: null,
    nextConflictMs: 0,
    webhook: null,
    refusePendingSet: null,
    lastSetWebhookMs: Number.NEGATIVE_INFINITY,
    commands: new Map(),
    settings: {},
    managedBy: 0,
    isTest: false,
    nextMessageId,
    taps: new Map(),
    calls: newCallLog(),
    flood: newFloodState(),
    server: sim.server,
    dropped: [],
    closedUntilMs: 0,
    closed: false,
  };
  return bot;
}

/** The part of a token after the colon: 35 characters that begin `AA`. */
export function newSecret(): string {
  return `AA${randomBytes(25).toString('base64url').slice(0, 33)}`;
}
