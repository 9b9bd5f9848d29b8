import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { hasInlinePresses } from '../bots/bot-settings.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import type { Chat, Message } from '../chats/chat.ts';
import { openPrivateChat } from '../chats/open-chat.ts';
import type { User } from '../chats/user.ts';
import { newMessage } from '../messages/post-message.ts';
import type { InlineMessage, OpenQuery } from '../messages/queries-and-polls.ts';
import { formatText } from '../messages/read-text.ts';
import { newQueryId, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { BOT, inChat, MESSAGE_ID, PERSON } from './fields.ts';
import { botOf, messageOf, personOf, placeOf } from './lookups.ts';
import { operation } from './operation.ts';

const QUERY_ID = z.string().describe('id of the query, as the operation that made it answered');

export const pressButton = operation(
  'A person presses an inline button under a message of a bot; answers the id of the callback query',
  {
    input: inChat({
      messageId: MESSAGE_ID,
      data: z.string().optional().describe('the button with this data; the first one when neither is given'),
      text: z.string().optional().describe('the button with this text'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, messageId: 2, text: 'A button' },
  },
  (sim, input): { queryId: string } => {
    const { person, chat } = placeOf(sim, input);
    const message = messageOf(chat, input.messageId);
    const button = findButton(message, input);
    const bot = botOf(sim, authorOf(sim, message));
    const pressed = { person: person.id, chatKey: chat.key };
    const queryId = openQuery(sim, { botId: bot.user.id, kind: 'callback', answer: null, pressed });
    const inline = inlineIdOf(sim, bot, chat, message);
    publishUpdate(sim, bot, 'callback_query', {
      ...{ id: queryId, from: person, ...(inline === null ? { message } : { inline_message_id: inline }) },
      ...{ chat_instance: chatInstance(chat), data: button.callback_data },
    });
    return { queryId };
  },
);

/** By which a bot knows a message that was sent through its inline mode, or one of its own in the mode for presses; null: by itself. */
function inlineIdOf(sim: Simulator, bot: SimBot, chat: Chat, message: Message): string | null {
  const inline = { botId: bot.user.id, chatKey: chat.key, messageId: message.message_id };
  const [known] = [...sim.inlineMessages].find(([, one]) => isDeepStrictEqual(one, inline)) ?? [];
  if (known !== undefined) return known;
  return hasInlinePresses(bot) ? newInlineMessage(sim, inline) : null;
}

function newInlineMessage(sim: Simulator, inline: InlineMessage): string {
  const id = `Sim${newQueryId(sim)}`;
  sim.inlineMessages.set(id, inline);
  sim.storage.saveInlineMessage(id, inline);
  return id;
}

/** The same for every message of a chat. */
export function chatInstance(chat: Chat): string {
  return String(BigInt(chat.id) * 7_919n);
}

type Wanted = { data?: string | undefined; text?: string | undefined };

function findButton(message: Message, wanted: Wanted): Record<string, unknown> {
  const markup = message.reply_markup as { inline_keyboard?: Record<string, unknown>[][] } | undefined;
  const buttons = (markup?.inline_keyboard ?? []).flat().filter((button) => button.callback_data !== undefined);
  const found = buttons.find(
    (button) =>
      (wanted.data === undefined || button.callback_data === wanted.data) &&
      (wanted.text === undefined || button.text === wanted.text),
  );
  if (found === undefined) throw new ControlError(`message ${message.message_id} has no such button`);
  return found;
}

export const typeInlineQuery = operation(
  'A person types an inline query to a bot; answers the id of the query',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      query: z.string().describe('what is typed'),
      offset: z.string().optional().describe('asks for further results, as the bot named it'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, query: 'cats' },
  },
  (sim, input): { queryId: string } => {
    const bot = botOf(sim, input.bot);
    const person = personOf(sim, input.person);
    const queryId = openQuery(sim, { botId: bot.user.id, kind: 'inline', answer: null });
    const query = { id: queryId, from: person, chat_type: 'sender', query: input.query, offset: input.offset ?? '' };
    publishUpdate(sim, bot, 'inline_query', query);
    return { queryId };
  },
);

type Result = {
  id: string;
  title?: string;
  input_message_content?: { message_text?: string; parse_mode?: string };
  reply_markup?: Record<string, unknown>;
};

export const chooseInlineResult = operation(
  'A person sends one of the results a bot answered a query with, into their private chat with that bot',
  {
    input: z.strictObject({ person: PERSON, queryId: QUERY_ID, resultId: z.string().describe('as the bot named it') }),
    example: { person: 424_242, queryId: '4294967297', resultId: '1' },
  },
  (sim, input): { inlineMessageId: string } => {
    const query = sim.queries.get(input.queryId);
    const results = query?.answer ? (JSON.parse(query.answer.results ?? '[]') as Result[]) : [];
    const result = results.find(({ id }) => String(id) === input.resultId);
    if (query === undefined || result === undefined) throw new ControlError('there is no such result of the bot');
    const bot = botOf(sim, query.botId);
    const person = personOf(sim, input.person);
    const chat = openPrivateChat(sim, bot, person);
    const message = newMessage(sim, chat, { user: person }, { via_bot: bot.user, ...contentOf(result) });
    const inline = { botId: bot.user.id, chatKey: chat.key, messageId: message.message_id };
    const inlineMessageId = newInlineMessage(sim, inline);
    publishUpdate(sim, bot, 'chosen_inline_result', {
      result_id: input.resultId,
      from: person,
      inline_message_id: inlineMessageId,
      query: '',
    });
    return { inlineMessageId };
  },
);

function contentOf({ title, input_message_content: said, reply_markup }: Result) {
  const written = String(said?.message_text ?? title ?? '');
  return { ...formatText(written, said?.parse_mode ?? '', undefined), ...(reply_markup && { reply_markup }) };
}

export const readQuery = operation(
  'Shows whether a pressed button, a tapped widget or an inline query was answered, and with what',
  { input: z.strictObject({ queryId: QUERY_ID }), example: { queryId: '4294967297' } },
  (sim, input): { answered: boolean; answer: Record<string, string> | null } => {
    const query = sim.queries.get(input.queryId);
    if (query === undefined) throw new ControlError(`there is no query ${input.queryId}`);
    return { answered: query.answer !== null, answer: query.answer };
  },
);

/** Whose buttons a message has. A channel post does not name its author, so the simulator remembers which bot posted it. */
export function authorOf(sim: Simulator, message: Message): number {
  const via = (message.via_bot as User | undefined)?.id;
  const author = via ?? (message.from?.is_bot ? message.from.id : sim.postedBy.get(message));
  if (author === undefined) throw new ControlError(`message ${message.message_id} is not of a bot`);
  return author;
}

export function openQuery(sim: Simulator, query: OpenQuery): string {
  const id = newQueryId(sim);
  sim.queries.set(id, query);
  sim.storage.saveQuery(id, query);
  return id;
}
