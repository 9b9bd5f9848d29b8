import { changeMember } from '../chats/change-member.ts';
import {
  type AdminRights,
  ALL_RIGHTS,
  type ChatType,
  everything,
  type MemberStatus,
  newMember,
  showChat,
} from '../chats/chat.ts';
import { openPrivateChat, openSharedChat } from '../chats/open-chat.ts';
import { postMessage } from '../messages/post-message.ts';
import type { Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { botOf, chatOf, personOf, userOf } from './lookups.ts';

export type NewChat = {
  type: Exclude<ChatType, 'private'>;
  title?: string;
  username?: string;
  id?: number;
  /** People and bots, by id. They are there from the start: no update tells of it. */
  members?: number[];
  creator?: number;
  /** Chat-admins; without `rights` they have all. */
  admins?: { user: number; rights?: AdminRights; title?: string }[];
};

export function createChat(sim: Simulator, input: NewChat): { id: number } {
  const chat = openSharedChat(sim, input.type, input.title ?? 'A chat', input.id);
  chat.username = input.username ?? '';
  for (const id of input.members ?? []) chat.members.set(id, newMember(userOf(sim, id), 'member'));
  for (const { user, rights, title } of input.admins ?? []) {
    const member = newMember(userOf(sim, user), 'administrator', rights ?? everything(ALL_RIGHTS));
    member.customTitle = title ?? '';
    chat.members.set(user, member);
  }
  if (input.creator !== undefined) chat.members.set(input.creator, newMember(userOf(sim, input.creator), 'creator'));
  return { id: chat.id };
}

/** A person opens the bot's chat and presses Start, or only opens it when `quietly`. */
export function startBot(sim: Simulator, input: { person: number; bot: number; quietly?: boolean }): void {
  const person = personOf(sim, input.person);
  const chat = openPrivateChat(sim, botOf(sim, input.bot), person);
  chat.started = true;
  if (!input.quietly) {
    const entities = [{ offset: 0, length: 6, type: 'bot_command' }];
    postMessage(sim, chat, { user: person }, { text: '/start', entities });
  }
}

/** A person blocks the bot, or unblocks it. */
export function blockBot(sim: Simulator, input: { person: number; bot: number; blocked: boolean }): void {
  const bot = botOf(sim, input.bot);
  const person = personOf(sim, input.person);
  const chat = openPrivateChat(sim, bot, person);
  const show = (blocked: boolean) =>
    blocked ? { user: bot.user, status: 'kicked', until_date: 0 } : { user: bot.user, status: 'member' };
  const before = show(chat.blocked);
  chat.blocked = input.blocked;
  publishUpdate(sim, bot, 'my_chat_member', {
    chat: showChat(chat),
    from: person,
    date: sim.clock.nowS(),
    old_chat_member: before,
    new_chat_member: show(input.blocked),
  });
}

/** Somebody joins, leaves, or is promoted, restricted or banned by `by` (themselves when not given). */
export function setMember(
  sim: Simulator,
  input: {
    chat: number;
    user: number;
    status: MemberStatus;
    rights?: AdminRights;
    permissions?: AdminRights;
    by?: number;
  },
): void {
  const user = userOf(sim, input.user);
  const actor = input.by === undefined ? user : userOf(sim, input.by);
  const chat = chatOf(sim, actor.id, input.chat);
  if (chat.person !== null) throw new ControlError('a private chat has no members');
  const allRights = input.status === 'administrator' || input.status === 'creator';
  changeMember(sim, chat, actor, user, {
    status: input.status,
    rights: input.rights ?? (allRights ? everything(ALL_RIGHTS) : {}),
    permissions: input.permissions ?? {},
    promotedBy: actor.id,
  });
}

/** A person asks to join a chat that admits on approval. */
export function askToJoin(sim: Simulator, input: { chat: number; person: number; bio?: string }): void {
  const person = personOf(sim, input.person);
  const chat = chatOf(sim, person.id, input.chat);
  for (const member of chat.members.values()) {
    const bot = member.user.is_bot ? sim.bots.get(member.user.id) : undefined;
    if (bot === undefined || member.status !== 'administrator') continue;
    publishUpdate(sim, bot, 'chat_join_request', {
      chat: showChat(chat),
      from: person,
      user_chat_id: person.id,
      date: sim.clock.nowS(),
      ...(input.bio !== undefined && { bio: input.bio }),
    });
  }
}

/** A basic group becomes a supergroup: both chats say so, and the old one refuses calls from then on. */
export function migrateGroup(sim: Simulator, input: { chat: number; by: number }): { id: number } {
  const actor = userOf(sim, input.by);
  const group = chatOf(sim, actor.id, input.chat);
  if (group.type !== 'group') throw new ControlError('only basic groups become supergroups');
  const supergroup = openSharedChat(sim, 'supergroup', group.title);
  supergroup.members = group.members;
  postMessage(sim, group, { user: actor }, { migrate_to_chat_id: supergroup.id });
  group.migratedTo = supergroup.id;
  postMessage(sim, supergroup, { user: actor }, { migrate_from_chat_id: group.id });
  return { id: supergroup.id };
}
