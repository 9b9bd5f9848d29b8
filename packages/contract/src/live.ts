import { z } from 'zod';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT_ID } from './examples.ts';
import { listOf } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** The parts of a live stream. */
export type LiveTopic =
  | { kind: 'fleet' }
  | { kind: 'desk' }
  | { kind: 'bot'; botId: number }
  | { kind: 'attempts'; botId: number }
  | { kind: 'chat'; botId: number; chatId: number };

const MAX_TOPICS = 20;
const ID = '[1-9][0-9]{0,14}';
/** Those of the platform have up to 52 bits. */
const CHAT_ID = '-?[1-9][0-9]{0,15}';
const TOPIC = new RegExp(`^(fleet|desk|(bot|attempts):${ID}|chat:${ID}:${CHAT_ID})$`);

/** The topic that a text names; null when it names none. */
export function liveTopic(text: string): LiveTopic | null {
  if (!TOPIC.test(text)) return null;
  const [kind, bot, chat] = text.split(':') as [LiveTopic['kind'], string, string];
  switch (kind) {
    case 'fleet':
    case 'desk':
      return { kind };
    case 'chat':
      return { kind, botId: Number(bot), chatId: Number(chat) };
    default:
      return { kind, botId: Number(bot) };
  }
}

const topics = listOf(
  z.string().regex(TOPIC, 'must be fleet, desk, bot:<bot id>, chat:<bot id>:<chat id> or attempts:<bot id>'),
  MAX_TOPICS,
);

/** The bots of topics that are not validated yet. */
function botsOfTopics(value: unknown): number[] {
  const texts = [value].flat().filter((text) => typeof text === 'string');
  const list = topics.safeParse(value).data ?? texts.flatMap((text) => text.split(','));
  return list.flatMap((text) => {
    const topic = liveTopic(text);
    return topic === null || topic.kind === 'fleet' || topic.kind === 'desk' ? [] : [topic.botId];
  });
}

const UPDATE = `{"bot_id":${EXAMPLE_BOT_ID},"update_id":813,"kind":"message","chat_id":${EXAMPLE_CHAT_ID},"update":{"update_id":813,"message":{"message_id":501,"date":1767348900,"chat":{"id":${EXAMPLE_CHAT_ID},"type":"supergroup","title":"Orders"},"text":"Where is my order?"}}}`;
const CALL = `{"bot_id":${EXAMPLE_BOT_ID},"method":"sendMessage","chat_id":${EXAMPLE_CHAT_ID},"result":{"message_id":502,"date":1767348960,"chat":{"id":${EXAMPLE_CHAT_ID},"type":"supergroup","title":"Orders"},"text":"On its way"}}`;
const EXAMPLE = `retry: 1000
id: NzoxNzY3MzQ4ODk5MDAwLTA

event: update
data: ${UPDATE}
id: NzoxNzY3MzQ4OTAwMTIzLTA

event: call
data: ${CALL}
id: NzoxNzY3MzQ4OTYwNDU2LTA

`;

export const liveOperations = {
  watchLive: defineOperation({
    method: 'GET',
    paths: ['/api/live'],
    role: 'any',
    summary: 'Streams what happens, as server-sent events, from any replica.',
    description: `A topic is \`bot:<bot id>\` (its updates, its calls, its state, its floods, and what the account reads), \`chat:<bot id>:<chat id>\` (the updates and calls of one chat, and how far the account reads it), \`attempts:<bot id>\` (attempts to deliver its updates), \`fleet\` (the state of every bot that the caller sees, and figures of them all), or \`desk\` (what people of the team do in the chats of every bot that the caller sees). The events of \`desk\` come for \`bot:\` and \`chat:\`, too.

| Event | Data |
|---|---|
| \`update\` | \`{bot_id, update_id, kind, chat_id, business_connection_id, update}\`: an update that was taken in. \`chat_id\` is absent if it has no chat, \`business_connection_id\` if it is of the bot itself, here and below |
| \`call\` | \`{bot_id, method, chat_id, business_connection_id, program_id, program, result}\`: a call of the bot that the history keeps, and the platform's result. \`program_id\` and \`program\` are there if a program made it |
| \`attempt\` | \`{bot_id, program_id, update_id, status, duration_ms, error, call_error}\`, as in \`GET /api/deliveries/attempts\` |
| \`route\` | \`{bot_id, …}\` with the fields of \`GET /api/routes/decisions\`: what the router decided for a message of the bot |
| \`broadcast\` | \`{bot_id, id, state, counts}\`: how far a broadcast of the bot is, as in \`GET /api/broadcasts\`; at most once a second |
| \`bot\` | a Bot, as in \`GET /api/bots\`, whose settings or state changed |
| \`fleet\` | the figures of \`GET /api/fleet\`, whenever there are new ones: about every 30 s |
| \`read\` | \`{bot_id, chat_id, business_connection_id, read_message_id}\`: the account of this stream has read a chat up to this message, by \`POST /api/chats/read\` in whatever session or with whatever key. No other account gets it |
| \`chat\` | \`{bot_id, chat_id, business_connection_id, action, account_id, account}\`: somebody did something with a chat: takeover, release, assign, done, reopen, or send (an answer by REST). Without \`account_id\` a rule or the owner of a business account did |
| \`note\` | \`{bot_id, chat_id, business_connection_id, note_id, change, mentions, account_id, account}\`: an internal note was added, updated or deleted |
| \`presence\` | \`{bot_id, chat_id, business_connection_id, doing, account_id, account}\`: an account is viewing a chat, is typing in its field, or left it, as \`POST /api/chats/presence\` says |
| \`flood\` | \`{bot_id, chat_id, business_connection_id, family, until}\`: the bot is rate limited, and the platform takes no more calls of a family (send, edit, chat_action, other) until then; \`until\` is null when that is over. In place of \`chat_id\` it may have \`chat_username\` or \`inline_message_id\`, or \`method\` (lower case): then only calls of that method that name no chat wait; or none of them: then calls to every chat wait |
| \`skipped\` | \`{count}\`: so many events were left out, because the client reads too slowly or they are larger than 32 KiB |
| \`gap\` | \`{}\`: any number of events may be missing; read what you need again |

An event has an \`id\`. A client that reconnects with \`Last-Event-ID\`, to any replica, goes on after that event if the next ones are still kept: for 30 s, at most 1,000 for each bot. Otherwise it gets one \`gap\`, and goes on from now. A \`bot\` event tells the present state, and may come again after a reconnect. Events of \`desk\` and \`read\` are hints and are not kept: after a reconnect or a \`gap\`, \`GET /api/chats\` tells how chats are and how far the account has read. A line with a comment comes every 15 s.

A stream gets 32 KiB a second, and may be 64 KiB ahead. What does not fit is skipped. An account may have 4 streams at each process, and a process serves 200; these numbers are settings. The stream ends when the session or key ends, when the rights of the caller change, when a bot of its topics is deleted, and when the process stops. Clients should then reconnect, as EventSource does.

Watching moves no cursor and acknowledges nothing.`,
    input: z.object({
      topics: topics
        .refine((list) => list.length > 0, 'must not be empty')
        .describe('What to watch: at most 20 topics, separated by commas.'),
    }),
    output: z.string().describe('Server-sent events.'),
    mediaTypes: ['text/event-stream'],
    botsOf: ({ topics: value }) => botsOfTopics(value),
    limits: ['live-streams'],
    errors: ['not_found', 'too_many_requests'],
    example: { input: { topics: [`bot:${EXAMPLE_BOT_ID}`] }, output: EXAMPLE },
  }),
};
