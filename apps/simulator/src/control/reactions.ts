import { isAdmin, showChat } from '../chats/chat.ts';
import { openPrivateChat } from '../chats/open-chat.ts';
import { newMessage } from '../messages/post-message.ts';
import { formatText } from '../messages/read-text.ts';
import { botsIn, newQueryId, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { botOf, chatOf, messageOf, personOf } from './lookups.ts';

/** A person sets their reactions on a message; an empty list takes them back. Told to chat-admin bots that ask. */
export function react(sim: Simulator, input: { from: number; to: number; messageId: number; emoji: string[] }): void {
  const chat = chatOf(sim, input.from, input.to);
  const message = messageOf(chat, input.messageId);
  const ofMessage = chat.reactions.get(message.message_id) ?? new Map<number, unknown[]>();
  const before = ofMessage.get(input.from) ?? [];
  const after = input.emoji.map((emoji) => ({ type: 'emoji', emoji }));
  ofMessage.set(input.from, after);
  chat.reactions.set(message.message_id, ofMessage);
  for (const bot of botsIn(sim, chat)) {
    if (chat.person === null && !isAdmin(chat.members.get(bot.user.id))) continue;
    publishUpdate(sim, bot, 'message_reaction', {
      chat: showChat(chat),
      message_id: message.message_id,
      user: personOf(sim, input.from),
      date: sim.clock.nowS(),
      old_reaction: before,
      new_reaction: after,
    });
  }
}

/** A person types an inline query to a bot. */
export function typeInlineQuery(
  sim: Simulator,
  input: { from: number; bot: number; query: string; offset?: string },
): { queryId: string } {
  const bot = botOf(sim, input.bot);
  const queryId = newQueryId(sim);
  sim.queries.set(queryId, { botId: bot.user.id, kind: 'inline', answer: null });
  publishUpdate(sim, bot, 'inline_query', {
    id: queryId,
    from: personOf(sim, input.from),
    chat_type: 'sender',
    query: input.query,
    offset: input.offset ?? '',
  });
  return { queryId };
}

/** A person sends one of the results a bot answered with, into their private chat with that bot. */
export function chooseInlineResult(
  sim: Simulator,
  input: { from: number; queryId: string; resultId: string },
): { inlineMessageId: string } {
  const query = sim.queries.get(input.queryId);
  const results =
    query?.answer === null || query === undefined ? [] : (JSON.parse(query.answer.results ?? '[]') as Result[]);
  const result = results.find(({ id }) => String(id) === input.resultId);
  if (query === undefined || result === undefined) throw new ControlError('the bot offered no such result');
  const bot = botOf(sim, query.botId);
  const person = personOf(sim, input.from);
  const chat = openPrivateChat(sim, bot, person);
  const said = result.input_message_content;
  const { text, entities } = formatText(
    String(said?.message_text ?? result.title ?? ''),
    said?.parse_mode ?? '',
    undefined,
  );
  const content = {
    via_bot: bot.user,
    text,
    entities,
    ...(result.reply_markup && { reply_markup: result.reply_markup }),
  };
  const message = newMessage(sim, chat, { user: person }, content);
  const inlineMessageId = `Sim${newQueryId(sim)}`;
  sim.inlineMessages.set(inlineMessageId, { botId: bot.user.id, message });
  publishUpdate(sim, bot, 'chosen_inline_result', {
    result_id: input.resultId,
    from: person,
    inline_message_id: inlineMessageId,
    query: '',
  });
  return { inlineMessageId };
}

type Result = {
  id: string;
  title?: string;
  input_message_content?: { message_text?: string; parse_mode?: string };
  reply_markup?: Record<string, unknown>;
};

/** A person votes; the bot that sent the poll learns the vote when it is not anonymous, and the new counts. */
export function vote(sim: Simulator, input: { from: number; pollId: string; options: number[] }): void {
  const poll = sim.polls.get(input.pollId);
  if (poll === undefined) throw new ControlError(`there is no poll ${input.pollId}`);
  const person = personOf(sim, input.from);
  poll.votes.set(person.id, input.options);
  const chat = sim.chats.get(poll.chatKey)!;
  const shown = messageOf(chat, poll.messageId).poll as ShownPoll;
  const votes = [...poll.votes.values()];
  shown.options.forEach((option, index) => {
    option.voter_count = votes.filter((chosen) => chosen.includes(index)).length;
  });
  shown.total_voter_count = votes.filter((chosen) => chosen.length > 0).length;
  const bot = botOf(sim, poll.botId);
  publishUpdate(sim, bot, 'poll', shown);
  if (shown.is_anonymous) return;
  publishUpdate(sim, bot, 'poll_answer', { poll_id: shown.id, user: person, option_ids: input.options });
}

type ShownPoll = {
  id: string;
  is_anonymous: boolean;
  total_voter_count: number;
  options: { voter_count: number }[];
};
