import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import { bindChat } from './bind-chat.ts';
import { type BindingStart, readBindingStart } from './binding-start.ts';

/** Sees that somebody opened a link which binds the chat to a program. Never throws. */
export type ChatBinder = {
  /** False where no program ever had a link: then there is nothing to see. */
  isNeeded(botId: number): boolean;
  /** Await it before the updates are accepted, so that the program gets the message by which it learns of its chat. */
  see(bot: Bot, updates: readonly { value: Fields }[]): Promise<void>;
};

/** Nobody waits longer for Postgres and the platform. */
const WAIT_MS = 2_000;
/** Anybody can write what looks like a link; opening one again costs nothing. */
const AT_ONCE = 20;

export function chatBinder(
  deps: ChangeRulesDeps & { platform: PlatformClient; log: Logger },
  waitMs = WAIT_MS,
): ChatBinder {
  let running = 0;
  const bind = async (bot: Bot, start: BindingStart): Promise<void> => {
    if (running >= AT_ONCE) throw new Error('too many links are being opened');
    running += 1;
    try {
      const outcome = await bindChat(deps, bot, start);
      if (outcome !== 'bound') deps.log.info({ bot: bot.id, outcome }, 'a link bound no chat');
    } finally {
      running -= 1;
    }
  };
  return {
    // A polling turn knows its bot as it was when it began.
    isNeeded: (botId) =>
      deps.directory.ready() &&
      deps.directory.byId(botId)?.programs.some((program) => program.chats_revision > 0) === true,
    see: async (bot, updates) => {
      const starts = updates.flatMap(({ value }) => readBindingStart(value, bot.username) ?? []);
      const different = new Map(starts.map((start) => [`${start.token} ${start.chat_id} ${start.user?.id}`, start]));
      const bound = [...different.values()].map((start) =>
        bind(bot, start).catch((error: unknown) =>
          deps.log.warn({ bot: bot.id, reason: String(error) }, 'a chat could not be bound to a program'),
        ),
      );
      await Promise.race([Promise.all(bound), delay(waitMs, undefined, { ref: false })]);
    },
  };
}
