import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { MessageResource, RoutedResource } from '@flotilla/contract/messages.ts';
import { type RoutedMessage, routeLinkStore } from '@flotilla/domain/delivery/routing-rules/route-link-store.ts';
import { type Caller, seesChat } from '@flotilla/domain/people/accounts/caller.ts';
import { chatTitles, titleKey } from '@flotilla/domain/records/chats/chat-titles.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Context } from '../context.ts';
import { withoutNulls } from './without-nulls.ts';

type Routed = Pick<MessageResource, 'routed'>;

/** Where rules sent each of these messages of a chat, as far as the caller may see it. */
export async function routedOf(
  { db, directory }: Pick<Context, 'db' | 'directory'>,
  caller: Caller,
  chat: ChatOfBot,
  messages: readonly Message[],
): Promise<(message: Message) => Routed> {
  const received = messages.filter(({ id, outgoing }) => id > 0 && !outgoing);
  const routed = await routeLinkStore(db).listRouted(
    chat,
    received.map(({ id }) => id),
  );
  const titles = await chatTitles(
    db,
    routed.map(targetOf).filter((target) => seesChat(caller, target)),
  );
  const present = (one: RoutedMessage): RoutedResource => {
    const { bot_id, chat_id } = targetOf(one);
    const rule = withoutNulls({ route_id: one.route_id, route_name: one.route_name });
    if (!seesChat(caller, { bot_id, chat_id })) return rule;
    const bot_name = directory.byId(bot_id)?.name ?? null;
    const chat_title = titles.get(titleKey({ bot_id, chat_id })) ?? null;
    return { ...rule, bot_id, chat_id, message_id: one.target_message_id, ...withoutNulls({ bot_name, chat_title }) };
  };
  const bySource = Map.groupBy(routed, keyOf);
  return (message) => {
    const found = bySource.get(keyOf(message));
    return found === undefined ? {} : { routed: found.map(present) };
  };
}

function targetOf({ target_bot_id, target_chat_id }: RoutedMessage): ChatOfBot {
  return { bot_id: target_bot_id, chat_id: target_chat_id };
}

/** Conversations of business connections may have messages of the same id. */
function keyOf({ id, business_connection_id }: Pick<RoutedMessage, 'id' | 'business_connection_id'>): string {
  return `${id} ${business_connection_id}`;
}
