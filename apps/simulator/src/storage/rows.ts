import type { SimBot } from '../bots/sim-bot.ts';
import type { Chat, Member, Message } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import type { SimFile } from '../files/sim-file.ts';
import type { InlineMessage, OpenQuery, SentPoll } from '../messages/queries-and-polls.ts';
import type { Simulator } from '../simulator.ts';
import type { PendingUpdate } from '../updates/update-queue.ts';
import type { WebhookSettings } from '../webhook/webhook.ts';

/** The stored form of each kind, as JSON. */
export type Kept = {
  counters: Record<(typeof COUNTERS)[number], number> & { nextQueryNumber: string; skippedMs: number };
  person: User;
  bot: Pick<SimBot, 'user' | 'token' | 'nextMessageId' | 'settings' | 'managedBy' | 'isTest'> & {
    allowedUpdates: string[] | null;
    commands: [string, { command: string; description: string }[]][];
    tail: number;
    nextUpdateId: number;
    webhook: (Omit<WebhookSettings, 'certificate'> & { certificate: string | null }) | null;
  };
  /** Without messages, which have rows of their own. */
  chat: Omit<Chat, 'person' | 'members' | 'messages' | 'reactions' | 'actions'> & {
    person: number | null;
    members: (Omit<Member, 'user'> & { user: number })[];
    reactions: [number, [number, unknown[]][]][];
  };
  message: { chat: string; message: Message; postedBy: number | null };
  update: { bot: number } & Omit<PendingUpdate, 'gone'>;
  file: Omit<SimFile, 'bytes'>;
  query: OpenQuery;
  poll: Omit<SentPoll, 'votes'> & { votes: [number, number[]][] };
  inlineMessage: InlineMessage;
};

export type Kind = keyof Kept;

/** The order in which rows are read: a row comes after the rows to which it refers. */
export const KINDS: Kind[] = [
  'counters',
  'person',
  'bot',
  'chat',
  'message',
  'update',
  'file',
  'query',
  'poll',
  'inlineMessage',
];

const COUNTERS = ['nextFileNumber', 'nextPersonId', 'nextChatNumber'] as const;

export function keptCounters(sim: Simulator): Kept['counters'] {
  const { nextFileNumber, nextPersonId, nextChatNumber } = sim;
  const [nextQueryNumber, skippedMs] = [String(sim.nextQueryNumber), sim.clock.skippedMs()];
  return { nextFileNumber, nextPersonId, nextChatNumber, nextQueryNumber, skippedMs };
}

export function keptBot({ user, token, queue, webhook, ...bot }: SimBot): Kept['bot'] {
  return {
    user,
    token,
    tail: queue.tail,
    nextUpdateId: queue.nextId,
    nextMessageId: bot.nextMessageId,
    allowedUpdates: bot.allowedUpdates === null ? null : [...bot.allowedUpdates],
    commands: [...bot.commands],
    settings: bot.settings,
    managedBy: bot.managedBy,
    isTest: bot.isTest,
    webhook: webhook === null ? null : keptWebhook(webhook),
  };
}

function keptWebhook({ url, secretToken, certificate, maxConnections, ipAddress, pinned }: WebhookSettings) {
  const pem = certificate === null ? null : certificate.toString('base64');
  return { url, secretToken, certificate: pem, maxConnections, ipAddress, pinned };
}

export function keptChat({ person, members, messages: _, reactions, actions: __, ...chat }: Chat): Kept['chat'] {
  return {
    ...chat,
    person: person?.id ?? null,
    members: [...members.values()].map(({ user, ...member }) => ({ ...member, user: user.id })),
    reactions: [...reactions].map(([messageId, byUser]) => [messageId, [...byUser]]),
  };
}

export function keptMessage(sim: Simulator, chat: Chat, message: Message): Kept['message'] {
  return { chat: chat.key, message, postedBy: sim.postedBy.get(message) ?? null };
}

export function keptUpdate(bot: SimBot, { gone: _, ...update }: PendingUpdate): Kept['update'] {
  return { bot: bot.user.id, ...update };
}

export function keptFile({ bytes: _, ...file }: SimFile): Kept['file'] {
  return file;
}

export function keptPoll({ votes, ...poll }: SentPoll): Kept['poll'] {
  return { ...poll, votes: [...votes] };
}
