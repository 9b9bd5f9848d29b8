import { badRequest } from '../bot-api-error.ts';
import { platformId } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import type { Simulator } from '../simulator.ts';
import { type Chat, hasRight } from './chat.ts';
import { findOwnChat } from './find-chat.ts';
import type { User } from './user.ts';

/** Finds a chat in which the bot has `right`; otherwise throws the platform's error with the text `refusal`. */
export function findGovernedChat(call: Call, right: string, refusal: string): Chat {
  const chat = findOwnChat(call);
  if (chat.person !== null) throw badRequest("can't change the chat: method is available only for groups and channels");
  if (!hasRight(chat.members.get(call.bot.user.id), right)) throw badRequest(refusal);
  return chat;
}

/** The user that a call names; the simulator must know the user. */
export function findUser(call: Call): User {
  const id = platformId(call.params, 'user_id');
  if (id <= 0) throw badRequest('invalid user_id specified');
  const user = knownUser(call.sim, id);
  if (user === undefined) throw badRequest('PARTICIPANT_ID_INVALID');
  return user;
}

export function knownUser(sim: Simulator, id: number): User | undefined {
  return sim.people.get(id) ?? sim.bots.get(id)?.user;
}

/** Throws when the target is the owner, the bot itself, or a chat-admin appointed by someone else. */
export function refuseUntouchable({ bot }: Call, chat: Chat, user: User): void {
  const member = chat.members.get(user.id);
  if (user.id === bot.user.id) throw badRequest("can't restrict self");
  if (member?.status === 'creator') throw badRequest("can't remove chat owner");
  if (member?.status === 'administrator' && member.promotedBy !== bot.user.id) {
    throw badRequest('user is an administrator of the chat');
  }
}
