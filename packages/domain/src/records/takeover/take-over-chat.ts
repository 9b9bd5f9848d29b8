import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type Actor, accountOf } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { chatStore } from '../chats/chat-store.ts';
import { type Conversation, inConversation } from '../chats/conversation.ts';
import { announceDesk } from '../desk/desk-news.ts';
import { holdInRedis } from './held-chats.ts';

export type TakeoverDeps = { db: Database; redis: RedisHandles; clock: Clock; log: Logger };

/** Who takes a conversation over: a person by REST, a routing rule, or the owner of a business account. */
export type Holder = { kind: 'account'; by: Actor } | { kind: 'rule'; id: number } | { kind: 'owner' };

const MINUTE_MS = 60_000;

/**
 * Takes a conversation over: its updates are for people from now on. Again, its time begins anew. A hold that began leaves an audit entry
 * and an event; those of a person always leave an entry. Returns the chat: the supergroup, if a group became one. Throws 'not_found' or
 * 'bad_request'.
 */
export async function takeOverChat(
  deps: TakeoverDeps,
  bot: Bot,
  named: Omit<Conversation, 'bot_id'>,
  { holder, minutes }: { holder: Holder; minutes: number },
): Promise<number> {
  const chat_id = named.chat_id > 0 ? named.chat_id : await chatStore(deps.db).currentOf(bot.id, named.chat_id);
  const conversation = { ...named, chat_id };
  const length = { forMs: Math.ceil(minutes * MINUTE_MS), by: nameOf(holder) };
  const held = await holdInRedis(deps, bot, conversation, length);
  if (held.outcome === 'off') throw new FlotillaError('bad_request', 'The bot is disabled');
  if (held.outcome !== 'held') throw new FlotillaError('not_found', 'Bot not found');
  if (!held.began && holder.kind !== 'account') return chat_id;
  const by: Actor = holder.kind === 'account' ? holder.by : { kind: 'bot', address: null };
  const details = [`for ${Math.round(minutes)} min`, ...reasonOf(holder)].join('; ');
  await recordAction(deps, by, { action: 'chat_takeover', bot_id: bot.id, ...conversation, details });
  const at = inConversation({ bot_id: bot.id, ...conversation });
  await announceDesk(deps, { kind: 'chat', action: 'takeover', ...at, ...accountOf(by) });
  return chat_id;
}

function nameOf(holder: Holder): string {
  switch (holder.kind) {
    case 'account':
      return `account:${holder.by.kind === 'account' ? holder.by.username : ''}`;
    case 'rule':
      return `rule:${holder.id}`;
    case 'owner':
      return 'owner';
  }
}

function reasonOf(holder: Holder): string[] {
  if (holder.kind === 'rule') return [`by rule ${holder.id}`];
  return holder.kind === 'owner' ? ['the owner of the business account answered'] : [];
}
