import { newBot } from '../bots/create-bot.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { newChat } from '../chats/open-chat.ts';
import type { User } from '../chats/user.ts';
import { onReplyOf } from '../methods/run-call.ts';
import type { Simulator } from '../simulator.ts';
import { pushKept } from '../updates/update-queue.ts';
import { startWebhook } from '../webhook/set-webhook.ts';
import type { WebhookSettings } from '../webhook/webhook.ts';
import type { Kept, Kind } from './rows.ts';

type Reader<Name extends Kind> = (sim: Simulator, kept: Kept[Name], id: string, bytes: Buffer) => void;

/** Restore stored rows into an empty simulator, in the order of KINDS. */
export const READERS: { [Name in Kind]: Reader<Name> } = {
  counters: (sim, { nextQueryNumber, skippedMs, ...counters }) => {
    Object.assign(sim, counters, { nextQueryNumber: BigInt(nextQueryNumber) });
    sim.clock.advance(skippedMs);
  },
  person: (sim, person) => void sim.people.set(person.id, person),
  bot: (sim, { user, token, tail, nextUpdateId, nextMessageId, allowedUpdates, commands, ...kept }) => {
    const bot = newBot(sim, user, token, { nextUpdateId, nextMessageId });
    bot.queue.tail = tail;
    bot.allowedUpdates = allowedUpdates === null ? null : new Set(allowedUpdates);
    bot.commands = new Map(commands);
    bot.settings = kept.settings ?? {};
    bot.managedBy = kept.managedBy ?? 0;
    bot.isTest = kept.isTest ?? false;
    sim.bots.set(user.id, bot);
  },
  chat: (sim, { person, members, reactions, ...kept }) => {
    const chat = newChat(kept.key, kept.id, kept.type, kept.title);
    Object.assign(chat, kept, { person: person === null ? null : userOf(sim, person) });
    for (const member of members) chat.members.set(member.user, { ...member, user: userOf(sim, member.user) });
    for (const [messageId, byUser] of reactions) chat.reactions.set(messageId, new Map(byUser));
    sim.chats.set(chat.key, chat);
  },
  message: (sim, { chat, message, postedBy }) => {
    sim.chats.get(chat)!.messages.set(message.message_id, message);
    if (postedBy !== null) sim.postedBy.set(message, postedBy);
  },
  update: (sim, { bot, ...update }) => pushKept(sim.bots.get(bot)!.queue, { ...update, gone: false }),
  file: (sim, kept, _, bytes) => {
    const file = { ...kept, bytes };
    sim.files.set(file.fileId, file);
    sim.filesByPath.set(file.path, file);
  },
  query: (sim, query, id) => void sim.queries.set(id, query),
  poll: (sim, poll, id) => void sim.polls.set(id, { ...poll, votes: new Map(poll.votes) }),
  inlineMessage: (sim, message, id) => void sim.inlineMessages.set(id, message),
};

/** Resumes delivery to a webhook that was set before the restart. */
export function resumeWebhook(sim: Simulator, { user, webhook }: Kept['bot']): void {
  if (webhook === null) return;
  const bot = sim.bots.get(user.id)!;
  const certificate = webhook.certificate === null ? null : Buffer.from(webhook.certificate, 'base64');
  const settings: WebhookSettings = { ...webhook, certificate };
  startWebhook(sim, bot, settings, onReplyOf({ sim, bot }));
}

function userOf(sim: Simulator, id: number): User {
  return knownUser(sim, id)!;
}
