import { z } from 'zod';
import { newCallLog, type RecordedCall } from '../bots/call-log.ts';
import { createBot as addBot } from '../bots/create-bot.ts';
import { replaceToken } from '../bots/managed-bot.ts';
import { offeredCommands } from '../bots/offered-commands.ts';
import { hasPrivacyMode, setPrivacyMode } from '../bots/privacy-mode.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { webhookInfo } from '../methods/get-webhook-info.ts';
import { pending, pendingCount } from '../updates/update-queue.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, PERSON } from './fields.ts';
import { botOf, placeOf } from './lookups.ts';
import { operation } from './operation.ts';

export type ShownBot = { id: number; token: string; username: string; name: string; privacy: boolean };

const ONE_BOT = z.strictObject({ bot: BOT });
const A_BOT = { input: ONE_BOT, example: { bot: 1_000_000_001 } };

const NEW_BOT = z.strictObject({
  token: z
    .string()
    .regex(/^[1-9]\d*:[\w-]{3,}$/, 'a token looks like 123456:secret')
    .optional()
    .describe('123456:secret, whose number is the id of the bot; made when not given'),
  name: z.string().optional().describe('"Bot <id>" when not given'),
  username: z.string().optional().describe('without the @; "bot<id>_bot" when not given'),
  nextUpdateId: z.int().min(1).optional().describe('the first update_id; random when not given, as on the platform'),
  nextMessageId: z.int().min(1).optional().describe('the first message_id in its private chats; 1 when not given'),
  topics: z.boolean().optional().describe('true: its private chats have topics'),
  privacy: z.boolean().optional().describe('true: privacy mode, see setPrivacy; off when not given'),
  manages: z.boolean().optional().describe('true: it may manage bots that people make for it'),
  test: z.boolean().optional().describe('true: of the test environment, so that only calls with /test/ know it'),
});

export const createBot = operation(
  'Registers a bot, as @BotFather would; answers its id and token',
  { input: NEW_BOT, example: { name: 'Echo', username: 'echo_bot' } },
  (sim, input): ShownBot => {
    const id = Number(input.token?.split(':')[0]);
    if (sim.bots.has(id)) throw new ControlError(`there is already a bot ${id}`);
    if (sim.people.has(id)) throw new ControlError(`${id} is a person`);
    return show(addBot(sim, input));
  },
);

export const revokeToken = operation(
  'Gives a bot a new token, so that the old one answers 401',
  A_BOT,
  (sim, input): { token: string } => {
    return { token: replaceToken(sim, botOf(sim, input.bot)) };
  },
);

export const listBots = operation(
  'Lists all bots with their tokens',
  { input: z.strictObject({}), example: {} },
  (sim): ShownBot[] => [...sim.bots.values()].map(show),
);

export const setPrivacy = operation(
  'Switches the privacy mode of a bot, as @BotFather does: from groups it then gets commands, mentions and replies to it',
  {
    input: ONE_BOT.extend({ privacy: z.boolean().describe('false: it gets every message of its groups') }),
    example: { bot: 1_000_000_001, privacy: true },
  },
  (sim, input): void => setPrivacyMode(sim, botOf(sim, input.bot), input.privacy),
);

export type CallsSeen = {
  calls: RecordedCall[];
  total: number;
  byMethod: Record<string, number>;
  /** The number of getUpdates calls in flight now, and the highest number so far. */
  pollsNow: number;
  pollsHighWater: number;
};

export const readCalls = operation(
  'Shows what a program has called as a bot: the latest 5 000 calls whole, the rest as counts',
  {
    input: ONE_BOT.extend({ method: z.string().optional().describe('calls of this method only') }),
    example: { bot: 1_000_000_001, method: 'sendMessage' },
  },
  (sim, input): CallsSeen => {
    const log = botOf(sim, input.bot).calls;
    const wanted = input.method?.toLowerCase();
    return {
      calls: wanted === undefined ? log.calls : log.calls.filter(({ method }) => method === wanted),
      total: log.total,
      byMethod: Object.fromEntries(log.byMethod),
      pollsNow: log.pollsNow,
      pollsHighWater: log.pollsHighWater,
    };
  },
);

export const forgetCalls = operation('Forgets the calls of a bot', A_BOT, (sim, input): void => {
  const bot = botOf(sim, input.bot);
  bot.calls = { ...newCallLog(), pollsNow: bot.calls.pollsNow, pollsHighWater: bot.calls.pollsNow };
});

export const pendingUpdates = operation(
  'Shows what waits for a bot: how many updates, and the texts of the oldest; and those lost by leaving a server unread',
  {
    input: ONE_BOT.extend({ limit: z.int().min(0).optional().describe('how many texts; 100 when not given') }),
    example: { bot: 1_000_000_001, limit: 10 },
  },
  (sim, input): { count: number; updates: string[]; dropped: string[] } => {
    const { queue, dropped } = botOf(sim, input.bot);
    const nowMs = sim.clock.nowMs();
    const updates: string[] = [];
    for (const { text } of pending(queue, nowMs)) {
      if (updates.length >= (input.limit ?? 100)) break;
      updates.push(text);
    }
    return { count: pendingCount(queue, nowMs), updates, dropped };
  },
);

export const readWebhook = operation('Shows the webhook of a bot, with its secret', A_BOT, (sim, input) => {
  const bot = botOf(sim, input.bot);
  return { ...webhookInfo(sim, bot), secretToken: bot.webhook?.secretToken ?? '' };
});

export const listCommands = operation(
  'Lists the commands that a person is offered, in the private chat with a bot or in a chat with it',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      chat: CHAT.optional().describe('id of a group, supergroup or channel; the private chat when not given'),
    }),
    example: { person: 424_242, bot: 1_000_000_001 },
  },
  (sim, { person, bot: id, chat: shared }) => {
    const bot = botOf(sim, id);
    const { chat, person: user } = placeOf(sim, shared === undefined ? { person, bot: id } : { person, chat: shared });
    return offeredCommands(bot, chat, user);
  },
);

export function show(bot: SimBot): ShownBot {
  const { user, token } = bot;
  return { id: user.id, token, username: user.username, name: user.first_name, privacy: hasPrivacyMode(bot) };
}
