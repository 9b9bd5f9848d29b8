import { z } from 'zod';
import { openTopic } from '../chats/open-topic.ts';
import { ControlError } from './control-error.ts';
import { CHAT, PERSON } from './fields.ts';
import { placeOf } from './lookups.ts';
import { operation } from './operation.ts';

export const createTopic = operation(
  'A person makes a topic in a forum; answers its id, which is its message_thread_id',
  {
    input: z.strictObject({ person: PERSON, chat: CHAT, name: z.string().describe('of the topic') }),
    example: { person: 424_242, chat: -1_001_000_000_001, name: 'Hull' },
  },
  (sim, input): { topic: number } => {
    const { person, chat } = placeOf(sim, input);
    if (!chat.isForum) throw new ControlError(`chat ${chat.id} is not a forum`);
    return { topic: openTopic(sim, chat, person, { name: input.name, icon_color: 7322096 }).message_thread_id };
  },
);
