import { z } from 'zod';
import { openTopic } from '../chats/open-topic.ts';
import { hasPrivateTopics } from '../chats/topic.ts';
import { ControlError } from './control-error.ts';
import { inChat } from './fields.ts';
import { markStarted, placeOf } from './lookups.ts';
import { operation } from './operation.ts';

export const createTopic = operation(
  'A person makes a topic in a forum, or in the private chat with a bot that has topics; answers its message_thread_id',
  {
    input: inChat({ name: z.string().describe('of the topic') }),
    example: { person: 424_242, chat: -1_001_000_000_001, name: 'Hull' },
  },
  (sim, input): { topic: number } => {
    const { person, chat } = placeOf(sim, input);
    const has = chat.person === null ? chat.isForum : hasPrivateTopics(sim.bots.get(chat.botId));
    if (!has) throw new ControlError(`chat ${chat.id} is not a forum`);
    if (chat.person !== null) markStarted(sim, chat);
    return { topic: openTopic(sim, chat, person, { name: input.name, icon_color: 7322096 }).message_thread_id };
  },
);
