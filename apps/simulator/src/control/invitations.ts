import { z } from 'zod';
import { changeMember } from '../chats/change-member.ts';
import { type Chat, type InviteLink, isIn, showChat } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import { newQueryId, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { CHAT, PERSON } from './fields.ts';
import { personOf, placeOf, refuseBanned } from './lookups.ts';
import { operation } from './operation.ts';

export const askToJoin = operation(
  'A person asks to join a chat that admits on approval; answers the id of the query',
  {
    input: z.strictObject({ person: PERSON, chat: CHAT, bio: z.string().optional().describe('of the person') }),
    example: { person: 424_242, chat: -1_001_000_000_001 },
  },
  (sim, input): { queryId: string } => {
    const { person, chat } = placeOf(sim, input);
    return { queryId: ask(sim, chat, person, null, input.bio) };
  },
);

export const joinByLink = operation(
  'A person follows an invite link: they join, or ask to join if the link admits on approval',
  {
    input: z.strictObject({ person: PERSON, link: z.string().describe('as a method answered it') }),
    example: { person: 424_242, link: 'https://t.me/+AbCdEfGhIjKlMnOp' },
  },
  (sim, input): { joined: boolean } => {
    const person = personOf(sim, input.person);
    const { chat, link } = findLink(sim, input.link);
    refuseBanned(chat, person);
    if (isIn(chat.members.get(person.id))) throw new ControlError(`person ${person.id} is already in chat ${chat.id}`);
    if (link.creates_join_request) {
      ask(sim, chat, person, link);
      return { joined: false };
    }
    const { member_limit: limit } = link;
    changeMember(sim, chat, person, person, { status: 'member' }, { invite_link: link });
    // The platform counts who joined; here a full link ends.
    if (typeof limit === 'number') Object.assign(link, { member_limit: limit - 1, is_revoked: limit <= 1 });
    sim.storage.saveChat(chat);
    return { joined: true };
  },
);

function findLink(sim: Simulator, wanted: string): { chat: Chat; link: InviteLink } {
  for (const chat of sim.chats.values()) {
    const link = chat.inviteLinks.find(({ invite_link, is_revoked }) => invite_link === wanted && !is_revoked);
    if (link !== undefined) return { chat, link };
  }
  throw new ControlError(`there is no link ${wanted} that works`);
}

function ask(sim: Simulator, chat: Chat, person: User, link: InviteLink | null, bio?: string): string {
  const queryId = newQueryId(sim);
  const others = chat.joinRequests.filter(({ userId }) => userId !== person.id);
  chat.joinRequests = [...others, { userId: person.id, link: link?.invite_link ?? '', queryId }];
  if (link !== null) {
    link.pending_join_request_count = chat.joinRequests.filter((one) => one.link === link.invite_link).length;
  }
  sim.storage.saveChat(chat);
  for (const member of chat.members.values()) {
    const bot = member.user.is_bot ? sim.bots.get(member.user.id) : undefined;
    if (bot === undefined || member.status !== 'administrator') continue;
    publishUpdate(sim, bot, 'chat_join_request', {
      chat: showChat(chat),
      from: person,
      user_chat_id: person.id,
      date: sim.clock.nowS(),
      ...(bio !== undefined && { bio }),
      ...(link !== null && { invite_link: link }),
      query_id: queryId,
    });
  }
  return queryId;
}
