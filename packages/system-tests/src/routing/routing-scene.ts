import { connectRedis } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

export type Shown = Awaited<ReturnType<ControlClient['readChat']>>['messages'][number];

/** Shorthands for routing tests with a fleet. */
export type RoutingScene = {
  /** Creates a person and opens a private chat with each of these bots. */
  person(bots: FleetBot[], firstName?: string): Promise<number>;
  /** Creates a rule through REST that copies everything, unless the fields say otherwise. */
  rule(source: FleetBot, target: FleetBot, chat: number, fields?: object): Promise<{ id: number }>;
  /** The messages of a chat; a private chat is the one with this bot. */
  shown(bot: FleetBot, chat: number): Promise<Shown[]>;
  /** Waits until this bot has sent `count` messages to a chat, and returns them. */
  sent(bot: FleetBot, chat: number, count: number, timeoutMs?: number): Promise<Shown[]>;
  /** Resolves when all updates that this bot received so far are routed. */
  settled(bot: FleetBot, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
};

export async function routingScene(fleet: Fleet): Promise<RoutingScene> {
  const { control } = fleet;
  const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  const shown = async (bot: FleetBot, chat: number) => {
    const isPrivate = chat > 0;
    return (await control.readChat(isPrivate ? { person: chat, bot: bot.platformId } : { chat })).messages;
  };
  return {
    person: async (bots, firstName = 'Ada') => {
      const { id } = await control.createPerson({ firstName });
      for (const bot of bots) await control.startBot({ person: id, bot: bot.platformId, quietly: true });
      return id;
    },
    rule: (source, target, chat, fields = {}) =>
      fleet.rest('/api/routes/add', {
        source_bot_id: source.id,
        target_bot_id: target.id,
        target_chat_id: chat,
        condition_type: 'all',
        action: 'copy',
        ...fields,
      }),
    shown,
    sent: (bot, chat, count, timeoutMs = 15_000) =>
      waitForSome(
        async () => {
          const own = (await shown(bot, chat)).filter((message) => isFrom(message, bot));
          return own.length >= count ? own : null;
        },
        { timeoutMs, message: `${count} messages of bot ${bot.id} in chat ${chat}` },
      ),
    settled: async (bot, timeoutMs = 30_000) => {
      const { state } = botKeys(bot.id);
      await waitFor(
        async () => {
          if ((await control.pendingUpdates({ bot: bot.platformId })).count > 0) return false;
          const left = await redis.commands.hmget(state, 'rulesUnread', 'rulesPending');
          return left.every((count) => Number(count) === 0);
        },
        { timeoutMs, message: `everything of bot ${bot.id} being routed` },
      );
    },
    close: () => redis.close(),
  };
}

/** Like waitFor, for a condition that returns null until there is a result. */
export async function waitForSome<T>(
  condition: () => Promise<T | null>,
  options: { timeoutMs?: number; message?: string } = {},
): Promise<T> {
  return (await waitFor(condition, options)) as T;
}

function isFrom(message: Shown, bot: FleetBot): boolean {
  return (message.from as { id?: number } | undefined)?.id === bot.platformId;
}
