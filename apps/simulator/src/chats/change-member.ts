import { postMessage } from '../messages/post-message.ts';
import type { Simulator } from '../simulator.ts';
import { botsIn } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { type Chat, type InviteLink, isAdmin, isIn, type Member, newMember, showChat } from './chat.ts';
import { showMember } from './show-member.ts';
import type { User } from './user.ts';

/** Changes a membership and publishes the change: to the bot itself, to bots that are chat-admins, and to the chat. */
export function changeMember(
  sim: Simulator,
  chat: Chat,
  actor: User,
  user: User,
  change: Partial<Member>,
  how: { invite_link?: InviteLink } = {},
): void {
  const before = chat.members.get(user.id);
  const after: Member = { ...(before ?? newMember(user, 'left')), ...change };
  const shownBefore = (viewerId: number) => showMember(chat, user, before, viewerId);
  chat.members.set(user.id, after);
  sim.storage.saveChat(chat);
  const update = (viewerId: number) => ({
    chat: showChat(chat),
    from: actor,
    date: sim.clock.nowS(),
    old_chat_member: shownBefore(viewerId),
    new_chat_member: showMember(chat, user, after, viewerId),
    ...how,
  });
  const self = user.is_bot ? sim.bots.get(user.id) : undefined;
  if (self !== undefined) publishUpdate(sim, self, 'my_chat_member', update(user.id));
  for (const bot of botsIn(sim, chat)) {
    if (bot !== self && isAdmin(chat.members.get(bot.user.id)))
      publishUpdate(sim, bot, 'chat_member', update(bot.user.id));
  }
  if (chat.type !== 'channel') announce(sim, chat, actor, user, isIn(before), isIn(after));
}

/** Groups show joins and leaves as service messages; a member who left does not see the message about it. */
function announce(sim: Simulator, chat: Chat, actor: User, user: User, wasIn: boolean, isNowIn: boolean): void {
  if (!wasIn && isNowIn) {
    const joined = { new_chat_participant: user, new_chat_member: user, new_chat_members: [user] };
    postMessage(sim, chat, { user: actor }, joined);
  }
  if (wasIn && !isNowIn) {
    postMessage(sim, chat, { user: actor }, { left_chat_participant: user, left_chat_member: user });
  }
}
