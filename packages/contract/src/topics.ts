import { z } from 'zod';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID } from './examples.ts';
import { chatIdField } from './fields.ts';
import { botId, chatId, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';

const topicResource = z
  .strictObject({
    chat_id: chatIdField,
    thread_id: z.int().describe('The id of the topic in its chat: 1 is General, the topic that every forum has.'),
    name: z
      .string()
      .describe('The name. Absent until a message tells it, of a topic that was made before the bot came.')
      .optional(),
    icon_color: z.int().describe('The color of the icon, as RGB.').optional(),
    icon_custom_emoji_id: z.string().describe('The custom emoji that is its icon. Absent: it has none.').optional(),
    closed: z.boolean().describe('True if only administrators can write there. A hidden General is closed, too.'),
    last_message_at: z.iso.datetime().describe('When its newest message came. Absent: none is known.').optional(),
  })
  .meta({ id: 'Topic' });

export type TopicResource = z.infer<typeof topicResource>;

const TOPIC: TopicResource = {
  chat_id: EXAMPLE_CHAT_ID,
  thread_id: 120,
  name: 'Refunds',
  icon_color: 7322096,
  closed: false,
  last_message_at: '2026-01-02T10:15:00.000Z',
};

export const topicOperations = {
  listTopics: defineOperation({
    method: 'GET',
    paths: ['/api/topics'],
    role: 'any',
    summary: 'Lists the topics of a forum, or of a private chat with topics, the one with the newest message first.',
    description:
      'A topic is known once the bot got a message of it, or made it. Names, icons and whether it is closed come from service messages and from the calls of the bot itself. The platform does not tell when a person deletes a topic, so it stays listed; one that the bot deleted is not.',
    input: z.object({ bot_id: botId(), chat_id: chatId(), ...pagedInputs({ default: 200, max: 1000 }) }),
    output: z.array(topicResource),
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: [TOPIC] },
  }),
};
