import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import { bindChat } from './bind-chat.ts';

/** Sees that somebody opened a link which binds the chat to a program. Never throws. */
export type ChatBinder = {
  /** Await it before the updates are accepted, so that the program gets the message by which it learns of its chat. */
  see(bot: Bot, updates: readonly { value: Fields }[]): Promise<void>;
};

/** Nobody waits longer for Postgres and the platform. */
const WAIT_MS = 2_000;

export function chatBinder(
  deps: ChangeRulesDeps & { platform: PlatformClient; log: Logger },
  waitMs = WAIT_MS,
): ChatBinder {
  const bind = async (bot: Bot, start: BindingStart): Promise<void> => {
    const outcome = await bindChat(deps, bot, start);
    if (outcome !== 'bound') deps.log.info({ bot: bot.id, outcome }, 'a link bound no chat');
  };
  return {
    see: async (bot, updates) => {
      const starts = updates.flatMap(({ value }) => readBindingStart(value, bot.username) ?? []);
      const bound = starts.map((start) =>
        bind(bot, start).catch((error: unknown) =>
          deps.log.warn({ bot: bot.id, reason: String(error) }, 'a chat could not be bound to a program'),
        ),
      );
      await Promise.race([Promise.all(bound), delay(waitMs, undefined, { ref: false })]);
    },
  };
}

/** The first message of somebody who opened a link. */
export type BindingStart = {
  token: string;
  chatId: number;
  isGroup: boolean;
  /** null: an administrator who writes in the name of the group. */
  user: { id: number; name: string } | null;
};

export const LINK_TOKEN_PREFIX = 'flb_';
const START = /^\/start(?:@(\w{1,64}))? (flb_[\w-]{32})$/;
const GROUPS = ['group', 'supergroup'];

/** Null of other updates. A forwarded message, and one that a bot wrote, opened no link. */
export function readBindingStart(update: Fields, username: string): BindingStart | null {
  const message = readObject(update, 'message');
  const [, of = username, token] = START.exec((message && readText(message, 'text')) ?? '') ?? [];
  if (message === null || token === undefined || of.toLowerCase() !== username.toLowerCase()) return null;
  if (message.forward_origin !== undefined || message.via_bot !== undefined) return null;
  const [chat, from] = [readObject(message, 'chat') ?? {}, readObject(message, 'from') ?? {}];
  const [chatId, userId] = [readInteger(chat, 'id'), readInteger(from, 'id')];
  const isGroup = GROUPS.includes(String(chat.type));
  if (chatId === null || userId === null || !(isGroup || chat.type === 'private')) return null;
  const author = readObject(message, 'sender_chat');
  // A channel that writes in a group is no administrator of it.
  if (author !== null && author.id !== chatId) return null;
  return { token, chatId, isGroup, user: author === null ? { id: userId, name: nameOf(from) } : null };
}

function nameOf(user: Fields): string {
  return [readText(user, 'first_name'), readText(user, 'last_name')].filter((part) => part).join(' ');
}
