import { z } from 'zod';
import { isAdmin, showChat } from '../chats/chat.ts';
import { botsIn } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { inChat, MESSAGE_ID, PERSON } from './fields.ts';
import { botOf, messageOf, personOf, placeOf, refuseBanned } from './lookups.ts';
import { operation } from './operation.ts';

export const react = operation(
  'A person sets their reactions on a message; told to chat-admin bots that ask for it',
  {
    input: inChat({ messageId: MESSAGE_ID, emoji: z.array(z.string()).describe('an empty list takes them back') }),
    example: { person: 424_242, bot: 1_000_000_001, messageId: 1, emoji: ['👍'] },
  },
  (sim, input): void => {
    const { person, chat } = placeOf(sim, input);
    const message = messageOf(chat, input.messageId);
    const ofMessage = chat.reactions.get(message.message_id) ?? new Map<number, unknown[]>();
    const before = ofMessage.get(person.id) ?? [];
    const after = input.emoji.map((emoji) => ({ type: 'emoji', emoji }));
    ofMessage.set(person.id, after);
    chat.reactions.set(message.message_id, ofMessage);
    sim.storage.saveChat(chat);
    for (const bot of botsIn(sim, chat)) {
      if (chat.person === null && !isAdmin(chat.members.get(bot.user.id))) continue;
      publishUpdate(sim, bot, 'message_reaction', {
        chat: showChat(chat),
        message_id: message.message_id,
        user: person,
        date: sim.clock.nowS(),
        old_reaction: before,
        new_reaction: after,
      });
    }
  },
);

export const vote = operation(
  'A person votes; the bot that sent the poll learns the vote when it is not anonymous, and the new counts',
  {
    input: z.strictObject({
      person: PERSON,
      pollId: z.string().describe('id of the poll, from the message that carries it'),
      options: z.array(z.int().min(0)).describe('which ones, from 0; an empty list takes the vote back'),
    }),
    example: { person: 424_242, pollId: '4294967298', options: [0] },
  },
  (sim, input): void => {
    const poll = sim.polls.get(input.pollId);
    if (poll === undefined) throw new ControlError(`there is no poll ${input.pollId}`);
    const chat = sim.chats.get(poll.chatKey)!;
    const person = personOf(sim, input.person);
    refuseBanned(chat, person);
    poll.votes.set(person.id, input.options);
    const message = messageOf(chat, poll.messageId);
    const shown = message.poll as ShownPoll;
    countVotes(shown, [...poll.votes.values()]);
    sim.storage.savePoll(input.pollId, poll);
    sim.storage.saveMessage(chat, message);
    const bot = botOf(sim, poll.botId);
    publishUpdate(sim, bot, 'poll', shown);
    if (shown.is_anonymous) return;
    publishUpdate(sim, bot, 'poll_answer', { poll_id: shown.id, user: person, option_ids: input.options });
  },
);

type ShownPoll = {
  id: string;
  is_anonymous: boolean;
  total_voter_count: number;
  options: { voter_count: number }[];
};

function countVotes(poll: ShownPoll, votes: number[][]): void {
  poll.options.forEach((option, index) => {
    option.voter_count = votes.filter((chosen) => chosen.includes(index)).length;
  });
  poll.total_voter_count = votes.filter((chosen) => chosen.length > 0).length;
}
