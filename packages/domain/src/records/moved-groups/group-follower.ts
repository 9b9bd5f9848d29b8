import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { groupsAmong, isGroupMove, readGroupMove } from '@flotilla/telegram/group-move.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import { moveHold } from '../takeover/held-chats.ts';
import { moveGroup } from './move-group.ts';

/** Sees that groups became supergroups, by whatever tells of it first, and lets what is stored follow. Never throws. */
export type GroupFollower = {
  /** Await it before the updates are accepted, so that filters and rules mean the supergroup when its first messages come. */
  seeUpdates(bot: Bot, updates: readonly { value: Fields }[]): Promise<void>;
  /** For a call of the bot that the platform refused because a chat among its parameters is a supergroup now. */
  seeRefusal(bot: Bot, params: Fields): Promise<void>;
  /** The given client, whose refusals are seen, too. */
  platform: PlatformClient;
};

type Deps = ChangeRulesDeps & { platform: PlatformClient; log: Logger };

/** Nobody waits longer for Postgres. The history does the same when it stores the update. */
const WAIT_MS = 2_000;
const KNOWN_AT_MOST = 10_000;

export function groupFollower(deps: Deps): GroupFollower {
  const { platform, directory, log } = deps;
  /** Groups whose move is stored: a client that goes on calling the old chat then costs nothing. */
  const known = new Set<string>();
  /** Bots about whose groups the platform is being asked. */
  const asking = new Set<number>();
  const nameOf = (botId: number, groupId: number) => `${botId} ${groupId}`;

  const follow = async (bot_id: number, fromChatId: number, toChatId: number): Promise<void> => {
    const bot = directory.byId(bot_id);
    // Not after Postgres, which may be away: the bot would answer beside the person.
    if (bot !== undefined) await moveHold(deps, bot, { fromChatId, toChatId });
    await moveGroup(deps, { bot_id, fromChatId, toChatId });
    if (known.size >= KNOWN_AT_MOST) known.clear();
    known.add(nameOf(bot_id, fromChatId));
  };
  const inTime = async (botId: number, following: Promise<void>): Promise<void> => {
    const logged = following.catch((error: unknown) =>
      log.warn({ bot: botId, reason: String(error) }, 'what is bound to a group could not follow it'),
    );
    await Promise.race([logged, delay(WAIT_MS, undefined, { ref: false })]);
  };
  /** The call may name several chats, so the platform is asked about each. */
  const ask = async (bot: Bot, groupIds: number[]): Promise<void> => {
    for (const groupId of groupIds) {
      const toChatId = movedTo(await platform.call(bot.token, 'getChat', { chat_id: groupId }));
      if (toChatId !== null && isGroupMove(groupId, toChatId)) await follow(bot.id, groupId, toChatId);
    }
  };
  const seeRefusal = async (bot: Bot, params: Fields): Promise<void> => {
    const groupIds = groupsAmong(params).filter((id) => !known.has(nameOf(bot.id, id)));
    if (groupIds.length === 0 || asking.has(bot.id)) return;
    asking.add(bot.id);
    const asked = ask(bot, groupIds).finally(() => asking.delete(bot.id));
    await inTime(bot.id, asked);
  };
  const seeAnswer = async (token: string, params: Fields, answer: PlatformAnswer): Promise<PlatformAnswer> => {
    const toChatId = movedTo(answer);
    if (toChatId === null || !directory.ready()) return answer;
    const bot = directory.byToken(token);
    if (bot === undefined) return answer;
    const [groupId, another] = groupsAmong(params);
    // Of one group the refusal itself says enough: its other sends need not wait for a question.
    const isOne = groupId !== undefined && another === undefined && isGroupMove(groupId, toChatId);
    if (!isOne) await seeRefusal(bot, params);
    else if (!known.has(nameOf(bot.id, groupId))) await inTime(bot.id, follow(bot.id, groupId, toChatId));
    return answer;
  };

  return {
    seeUpdates: async (bot, updates) => {
      for (const { value } of updates) {
        const move = readGroupMove(readObject(value, 'message'));
        if (move !== null) await inTime(bot.id, follow(bot.id, move.fromChatId, move.toChatId));
      }
    },
    seeRefusal,
    platform: {
      ...platform,
      call: async (token, method, params = {}, options) =>
        seeAnswer(token, params, await platform.call(token, method, params, options)),
      upload: async (token, method, params, files, options) =>
        seeAnswer(token, params, await platform.upload(token, method, params, files, options)),
    },
  };
}

function movedTo(answer: PlatformAnswer): number | null {
  return answer.outcome === 'refused' ? (answer.migrateToChatId ?? null) : null;
}
