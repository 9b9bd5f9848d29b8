import type { Simulator } from '../simulator.ts';
import { pending } from '../updates/update-queue.ts';
import { keptBot, keptChat, keptCounters, keptFile, keptMessage, keptPoll, keptUpdate } from './rows.ts';

/** All state that must survive a restart, as JSON; for tests. */
export function everythingKept(sim: Simulator): unknown {
  const chats = [...sim.chats.values()];
  const bots = [...sim.bots.values()];
  const shown = {
    counters: keptCounters(sim),
    people: [...sim.people.values()],
    bots: bots.map(keptBot),
    chats: chats.map(keptChat),
    messages: chats.flatMap((chat) => [...chat.messages.values()].map((message) => keptMessage(sim, chat, message))),
    updates: bots.flatMap((bot) => [...pending(bot.queue, 0)].map((update) => keptUpdate(bot, update))),
    files: [...sim.files.values()].map((file) => ({ ...keptFile(file), bytes: file.bytes.toString('base64') })),
    queries: [...sim.queries],
    polls: [...sim.polls].map(([id, poll]) => [id, keptPoll(poll)]),
    inlineMessages: [...sim.inlineMessages],
  };
  return JSON.parse(JSON.stringify(shown));
}
