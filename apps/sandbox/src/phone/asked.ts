import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { z } from 'zod';

export type Options = {
  port: number;
  simulatorUrl: string;
  consoleUrl: string;
  person: { id: number; firstName: string };
  /** The platform's id of the bot that is written to where a page names none; null: there is none. */
  bot: number | null;
};

/** The names in an address of the page: the bot by its username, the person, the chat and the topic. */
export const ASKED = z.object({
  bot: z.string().optional(),
  as: z.coerce.number().int().optional(),
  chat: z.coerce.number().int().optional(),
  topic: z.coerce.number().int().optional(),
});

export type Bot = { id: number; token: string; username: string; name: string; privacy: boolean };

/** The bot, the person who writes, and the chat: null is the private one. Topic 0 is none. */
export type Asked = { bot: Bot; person: number; chat: number | null; topic: number };

export type Deps = {
  control: ControlClient;
  options: Options;
  /** How many files are on their way: each is held in memory. */
  receiving: number;
  /** Null if the platform has no such bot. */
  find(asked: z.output<typeof ASKED>): Promise<Asked | null>;
};

export function depsOf(control: ControlClient, options: Options): Deps {
  return {
    control,
    options,
    receiving: 0,
    async find({ bot: username, as, chat, topic }) {
      const bots = await control.listBots();
      const bot = bots.find((one) => (username === undefined ? one.id === options.bot : one.username === username));
      if (bot === undefined) return null;
      return { bot, person: as ?? options.person.id, chat: chat ?? null, topic: topic ?? 0 };
    },
  };
}

/** The private chat or the other one, as operations of the control API name it. */
export function chatOf({
  bot,
  person,
  chat,
}: Asked): { person: number; bot: number } | { person: number; chat: number } {
  return chat === null ? { person, bot: bot.id } : { person, chat };
}

export function topicOf({ topic }: Asked): { topic?: number } {
  return topic > 1 ? { topic } : {};
}
