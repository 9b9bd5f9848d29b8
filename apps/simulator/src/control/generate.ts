import { z } from 'zod';
import type { SimBot } from '../bots/sim-bot.ts';
import { type Chat, newMember, showChat } from '../chats/chat.ts';
import { openPrivateChat, openSharedChat } from '../chats/open-chat.ts';
import { platformJson } from '../platform-json.ts';
import type { LoadState, Simulator } from '../simulator.ts';
import { queueRaw } from '../updates/publish-update.ts';
import { BOT } from './fields.ts';
import { botOf } from './lookups.ts';
import { operation } from './operation.ts';
import { addPerson } from './people.ts';

const LOAD = z.strictObject({
  bots: z.array(BOT).min(1).describe('ids of the bots that get the updates, in turn'),
  chats: z.int().min(1).describe('chats of each bot, each with a person of its own'),
  count: z.int().min(1).describe('updates in all'),
  perSecond: z.number().optional().describe('updates per second; at once when not given'),
  prefix: z
    .string()
    .optional()
    .describe('"m" when not given; each text is this, its number within the chat from 0, " @", and the time in ms'),
  chatType: z.enum(['private', 'supergroup']).optional().describe('private when not given'),
});

type Load = z.output<typeof LOAD>;
type Source = { bot: SimBot; chat: Chat; head: string; sent: number };

const TICK_MS = 5;

export const generate = operation(
  'Makes message updates as fast as can be, for benchmarks: they are queued but not kept in their chats',
  { input: LOAD, example: { bots: [1_000_000_001], chats: 2, count: 10 } },
  (sim, input): { loadId: number } & LoadState => {
    const sources = newSources(sim, input);
    const loadId = sim.loads.length;
    const state: LoadState = { made: 0, dropped: 0, done: false };
    sim.loads.push(state);
    if (input.perSecond === undefined) make(sim, sources, state, input, input.count);
    else pace(sim, sources, state, input, input.perSecond);
    return { loadId, ...state };
  },
);

export const readLoad = operation(
  'Shows how far a load is: how many updates were made, and how many found their queue full',
  { input: z.strictObject({ loadId: z.int().describe('as generate answered') }), example: { loadId: 0 } },
  (sim, input): LoadState => sim.loads[input.loadId] ?? { made: 0, dropped: 0, done: true },
);

function pace(sim: Simulator, sources: Source[], state: LoadState, input: Load, perSecond: number): void {
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(input.count, Math.floor(((performance.now() - startedMs) * perSecond) / 1000));
    make(sim, sources, state, input, due);
    if (state.done) clearInterval(timer);
  }, TICK_MS);
  timer.unref();
}

function make(sim: Simulator, sources: Source[], state: LoadState, input: Load, upTo: number): void {
  const nowMs = sim.clock.nowMs();
  const dateS = Math.floor(nowMs / 1000);
  const expiresAtMs = dateS * 1000 + 86_400_000;
  const prefix = platformJson(input.prefix ?? 'm').slice(1, -1);
  while (state.made < upTo) {
    const source = sources[state.made % sources.length]!;
    const { bot, chat } = source;
    const id = bot.nextMessageId++;
    const raw = `{"message_id":${id},${source.head},"date":${dateS},"text":"${prefix}${source.sent} @${Date.now()}"}`;
    source.sent += 1;
    state.made += 1;
    if (queueRaw(sim, bot, 'message', raw, { lane: `c:${chat.id}`, expiresAtMs }) === null) state.dropped += 1;
  }
  state.done = state.made >= input.count;
}

/** Orders sources chat by chat across all bots, so that consecutive updates belong to different bots. */
function newSources(sim: Simulator, input: Load): Source[] {
  const sources: Source[] = [];
  for (let number = 0; number < input.chats; number += 1) {
    const person = addPerson(sim, {});
    for (const botId of input.bots) {
      const bot = botOf(sim, botId);
      const chat =
        input.chatType === 'supergroup' ? openSharedChat(sim, 'supergroup', 'Load') : openPrivateChat(sim, bot, person);
      chat.started = true;
      chat.members.set(bot.user.id, newMember(bot.user, 'administrator', {}));
      sim.storage.saveChat(chat);
      const head = `"from":${platformJson(person)},"chat":${platformJson(showChat(chat))}`;
      sources.push({ bot, chat, head, sent: 0 });
    }
  }
  return sources;
}
