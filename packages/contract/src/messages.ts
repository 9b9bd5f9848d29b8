import { z } from 'zod';
import { EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { botIdField, chatIdField, nameFields } from './fields.ts';

export const MEDIA_TYPES = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
  'callback',
] as const;

const entityResource = z
  .looseObject({
    type: z.string().describe('What the part is: bold, text_link, mention, bot_command, custom_emoji, ….'),
    offset: z.int().describe('Where it begins in `text`, in UTF-16 code units.'),
    length: z.int().describe('Its length in UTF-16 code units.'),
    url: z.string().describe('Of a text_link: where it leads.').optional(),
    language: z.string().describe('Of a pre: the programming language.').optional(),
    custom_emoji_id: z.string().describe('Of a custom_emoji: its id.').optional(),
  })
  .meta({ id: 'MessageEntity' });

const buttonResource = z
  .looseObject({
    text: z.string().describe('The label.'),
    url: z.string().describe('Where the button leads.').optional(),
    callback_data: z.string().describe('What the bot gets when the button is pressed.').optional(),
  })
  .meta({ id: 'Button' });

const forwardOriginResource = z
  .strictObject({
    type: z.string().describe('user, hidden_user, chat or channel.'),
    name: z.string().describe('The name of who wrote it first.').optional(),
    id: z.int().describe("The platform's id of that user or chat. Absent for a hidden user.").optional(),
    message_id: z.int().describe('Of a channel: the id of the message there.').optional(),
    date: z.int().describe('When it was sent first, in Unix seconds.').optional(),
  })
  .meta({ id: 'ForwardOrigin' });

const pollResource = z
  .strictObject({
    id: z.string().describe("The platform's id of the poll."),
    question: z.string().describe('What is asked.'),
    type: z.string().describe('regular or quiz.'),
    is_closed: z.boolean().describe('True if nobody can vote any more.'),
    is_anonymous: z.boolean().describe('True if nobody sees who voted for what.'),
    allows_multiple_answers: z.boolean().describe('True if one person may choose several options.'),
    total_voter_count: z.int().describe('How many people have voted.'),
    options: z
      .array(
        z.strictObject({
          text: z.string().describe('The option.'),
          voter_count: z.int().describe('How many people chose it.'),
        }),
      )
      .describe('The options, in their order.'),
  })
  .meta({ id: 'Poll' });

const AUTOMATIC_KINDS = ['broadcast', 'outbox', 'rule', 'away', 'held'] as const;

const automaticResource = z
  .strictObject({
    kind: z
      .enum(AUTOMATIC_KINDS)
      .describe(
        'broadcast; outbox: a key or a program handed it over, not as a reply; rule: a routing rule; away: a greeting, away or scheduled message of a business account; held: the program of the bot, while a person had taken the chat over.',
      ),
    id: z.int().describe('Of a broadcast or a rule: its id.').optional(),
    name: z
      .string()
      .describe(
        'Of a broadcast: its name. Of the outbox: who handed it over. Of `held`: the program, if its token was used.',
      )
      .optional(),
  })
  .meta({ id: 'Automatic' });

export type Automatic = z.infer<typeof automaticResource>;

const routedResource = z
  .strictObject({
    route_id: z
      .int()
      .describe('The rule. Absent: the message answered a routed one, and went back to its source.')
      .optional(),
    route_name: z
      .string()
      .describe('The description of the rule, or else its `condition_value`. Absent if it has neither, or was deleted.')
      .optional(),
    bot_id: z
      .int()
      .describe('The bot that sent it on. Absent, as all that follows, if you may not see that chat.')
      .optional(),
    bot_name: z.string().describe('The name of that bot.').optional(),
    chat_id: z.int().describe('The chat that it went to.').optional(),
    chat_title: z
      .string()
      .describe('The title of that chat, or the name of the person, as the bot last saw it.')
      .optional(),
    message_id: z.int().describe('The message there.').optional(),
  })
  .meta({ id: 'Routed' });

export type RoutedResource = z.infer<typeof routedResource>;

export const messageResource = z
  .strictObject({
    id: z
      .int()
      .describe(
        "The platform's id of the message, a counter of its chat. It is negative for a callback, for a ban and for an ephemeral message.",
      ),
    chat_id: chatIdField,
    bot_id: botIdField,
    user_id: z
      .int()
      .describe(
        "The platform's id of the author: a user, or the chat in whose name it was written (`sender_chat`). The names are those of the author; the title of a chat is its `first_name`.",
      )
      .optional(),
    ...nameFields,
    text: z
      .string()
      .describe(
        'The text or the caption. Of a callback: the data of its button. Otherwise: what `service` names, in words.',
      )
      .optional(),
    date: z.int().describe('The date in Unix seconds.'),
    position: z
      .int()
      .describe(
        'Of one with a negative id: its place among the messages of its second. The place of all others is 1024 times their id, and lists are sorted by date and place.',
      )
      .optional(),
    media_type: z.enum(MEDIA_TYPES).describe('What the message carries. Absent for text.').optional(),
    file_id: z.string().describe('The id that `GET /api/files` takes. Absent if there is no file.').optional(),
    reply_to_message_id: z
      .int()
      .describe('The message that this one answers. Of a callback: the message with the button.')
      .optional(),
    edited_at: z.iso.datetime().describe('When it was last edited. Absent: never.').optional(),
    deleted_at: z.iso.datetime().describe('When it was deleted. Absent: it is not deleted.').optional(),
    outgoing: z.boolean().describe('True if the bot itself sent it.'),
    business_connection_id: z
      .string()
      .describe(
        'The business connection to which it belongs. The messages of each connection have ids of their own, so several messages of a chat can have the same id.',
      )
      .optional(),
    service: z
      .string()
      .describe(
        'The kind of a message that is not plain text and carries no media: joined, left, pinned, title_changed, photo_changed, photo_deleted, chat_created, migrated, ban, unban, unsupported, or the name of its field in the Bot API, such as location, contact, dice, poll, widget. A tap in a widget is widget_query. An update of a kind that we do not know has the name of its kind, and its JSON as text.',
      )
      .optional(),
    thread_id: z
      .int()
      .describe('The topic of a forum or of a private chat to which it belongs: 1 is General. Absent outside topics.')
      .optional(),
    media_group_id: z.string().describe('The same for all messages of one album.').optional(),
    file_name: z.string().describe('The name of the file, as its sender had it.').optional(),
    mime_type: z.string().describe('The media type of the file, as its sender named it.').optional(),
    file_size: z.int().describe('The size of the file in bytes.').optional(),
    width: z.int().describe('The width in pixels.').optional(),
    height: z.int().describe('The height in pixels.').optional(),
    duration: z.int().describe('The duration in seconds.').optional(),
    thumbnail_file_id: z
      .string()
      .describe('A small picture of a video, an animation or a document; `GET /api/files` takes it.')
      .optional(),
    emoji: z.string().describe('Of a sticker: the emoji that it stands for.').optional(),
    program_id: z
      .int()
      .describe(
        'Of a message of the bot: the program that sent it, with a token of its own or in an answer to a delivery.',
      )
      .optional(),
    program: z.string().describe('The name of that program. Absent if it was deleted.').optional(),
    automatic: automaticResource
      .describe(
        'What sent it by itself: it answers nobody, so the chat still awaits an answer, is as unread as before, and keeps its place.',
      )
      .optional(),
    account: z
      .string()
      .describe(
        'The username of the account that sent the message as the bot. In lists of one chat, in the last message of a chat and in the answer to `send` only; so are its id and its name.',
      )
      .optional(),
    account_id: z.int().describe('The id of that account. Absent if it was deleted.').optional(),
    account_name: z.string().describe('The name of that account for people.').optional(),
    routed: z
      .array(routedResource)
      .describe(
        'Where routing rules sent it, in the order of the rules. In lists of one chat only, and for 30 days. A message that a rule only dropped has none.',
      )
      .optional(),
    forward_origin: forwardOriginResource.describe('Of a forwarded message: who wrote it first.').optional(),
    poll: pollResource
      .describe(
        'The poll with its votes. The platform tells a bot of votes in its own polls only; of others it is as it was sent.',
      )
      .optional(),
    entities: z
      .array(entityResource)
      .describe(
        "The formatted parts of `text` and its links, with the platform's fields. Entities and buttons together have at most 16 KiB of JSON; what is beyond is left out.",
      )
      .optional(),
    buttons: z
      .array(z.array(buttonResource))
      .describe("The rows of the inline keyboard, with the platform's fields.")
      .optional(),
    keyboard: z
      .array(z.array(z.string()))
      .describe('Of a message that the bot sent: the labels of its reply keyboard, row by row, at most 12 KiB of JSON.')
      .optional(),
    performer: z.string().describe('Of music: who plays it.').optional(),
    title: z.string().describe('Of music: its title.').optional(),
    quote: z.string().describe('The words of the answered message that this one quotes.').optional(),
    direct_messages_topic_id: z
      .int()
      .describe('In the direct messages of a channel: the topic, one for each person, to which an answer goes.')
      .optional(),
  })
  .meta({ id: 'Message' });

/** Objects, the sort key, and what the audit log knows of a message. */
const BESIDE_COLUMNS = [
  'entities',
  'buttons',
  'keyboard',
  'forward_origin',
  'poll',
  'account',
  'account_id',
  'account_name',
  'automatic',
  'routed',
  'position',
] as const;

type BesideColumns = (typeof BESIDE_COLUMNS)[number];

/** The columns of a CSV export: the stored fields of a message that are one value each. */
export const CSV_COLUMNS = Object.keys(messageResource.shape).filter(
  (field): field is Exclude<keyof MessageResource, BesideColumns> => !BESIDE_COLUMNS.includes(field as BesideColumns),
);

export type MessageResource = z.infer<typeof messageResource>;

export const MESSAGE: MessageResource = {
  id: 501,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  user_id: EXAMPLE_USER_ID,
  username: 'ada',
  first_name: 'Ada',
  text: 'Where is my order?',
  date: 1767348900,
  outgoing: false,
};

export const SENT_MESSAGE: MessageResource = {
  id: 502,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  user_id: 123456789,
  username: 'helpdesk_bot',
  first_name: 'Help desk',
  text: 'On its way',
  date: 1767348960,
  reply_to_message_id: 501,
  outgoing: true,
  entities: [{ type: 'bold', offset: 0, length: 2 }],
  buttons: [[{ text: 'Track', url: 'https://shop.example/orders/1188' }]],
};
