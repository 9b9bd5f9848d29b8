import { z } from 'zod';
import { changeMember } from '../chats/change-member.ts';
import { ALL_RIGHTS, everything, newMember, showChat } from '../chats/chat.ts';
import { openPrivateChat, openSharedChat } from '../chats/open-chat.ts';
import { postMessage } from '../messages/post-message.ts';
import type { Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, oneOf, PERSON, RIGHTS } from './fields.ts';
import { botOf, chatOf, markStarted, personOf, placeOf, userOf } from './lookups.ts';
import { operation } from './operation.ts';

const ADMIN = z.strictObject({
  person: PERSON.optional(),
  bot: BOT.optional(),
  rights: RIGHTS.optional(),
  title: z.string().optional(),
});

const NEW_CHAT = z.strictObject({
  type: z.enum(['group', 'supergroup', 'channel']).describe('what kind of chat'),
  title: z.string().optional().describe('"A chat" when not given'),
  username: z.string().optional().describe('without the @; none when not given'),
  forum: z.boolean().optional().describe('true: a supergroup with topics'),
  id: z.int().max(-1).optional().describe('chosen when not given'),
  members: z
    .array(z.int())
    .optional()
    .describe('ids of people and bots; they are there from the start, and no update tells of it'),
  creator: PERSON.optional().describe('id of the person who owns it'),
  admins: z
    .array(oneOf(ADMIN, 'person', 'bot'))
    .optional()
    .describe('chat-admins: {person} or {bot}, with the rights and the title they have; without rights they have all'),
});

export const createChat = operation(
  'Makes a group, supergroup or channel with its members; answers its id',
  {
    input: NEW_CHAT,
    example: { type: 'supergroup', title: 'Friends', creator: 424_242, admins: [{ bot: 1_000_000_001 }] },
  },
  (sim, input): { id: number } => {
    if (sim.chats.has(String(input.id))) throw new ControlError(`there is already a chat ${input.id}`);
    const members = newMembers(sim, input);
    const chat = openSharedChat(sim, input.type, input.title ?? 'A chat', input.id);
    chat.username = input.username ?? '';
    chat.isForum = input.forum === true && input.type === 'supergroup';
    // 1 is the id of the General topic.
    if (chat.isForum) chat.nextMessageId = 2;
    for (const member of members) chat.members.set(member.user.id, member);
    return { id: chat.id };
  },
);

function newMembers(sim: Simulator, { members = [], admins = [], creator }: z.output<typeof NEW_CHAT>) {
  return [
    ...members.map((id) => newMember(userOf(sim, sim.bots.has(id) ? { bot: id } : { person: id }), 'member')),
    ...admins.map(({ rights, title, ...who }) => ({
      ...newMember(userOf(sim, who), 'administrator', rights ?? everything(ALL_RIGHTS)),
      customTitle: title ?? '',
    })),
    ...(creator === undefined ? [] : [newMember(personOf(sim, creator), 'creator')]),
  ];
}

export const startBot = operation(
  'A person opens the private chat with a bot and presses Start',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      quietly: z.boolean().optional().describe('true: opens the chat without saying /start'),
    }),
    example: { person: 424_242, bot: 1_000_000_001 },
  },
  (sim, input): void => {
    const { person, chat } = placeOf(sim, input);
    markStarted(sim, chat);
    if (input.quietly) return;
    const entities = [{ offset: 0, length: 6, type: 'bot_command' }];
    postMessage(sim, chat, { user: person }, { text: '/start', entities });
  },
);

export const blockBot = operation(
  'A person blocks a bot, or unblocks it',
  {
    input: z.strictObject({ person: PERSON, bot: BOT, blocked: z.boolean().describe('false: unblocks') }),
    example: { person: 424_242, bot: 1_000_000_001, blocked: true },
  },
  (sim, input): void => {
    const bot = botOf(sim, input.bot);
    const person = personOf(sim, input.person);
    const chat = openPrivateChat(sim, bot, person);
    const show = (blocked: boolean) =>
      blocked ? { user: bot.user, status: 'kicked', until_date: 0 } : { user: bot.user, status: 'member' };
    const before = show(chat.blocked);
    chat.blocked = input.blocked;
    sim.storage.saveChat(chat);
    publishUpdate(sim, bot, 'my_chat_member', {
      chat: showChat(chat),
      from: person,
      date: sim.clock.nowS(),
      old_chat_member: before,
      new_chat_member: show(input.blocked),
    });
  },
);

const CHANGED_MEMBER = z.strictObject({
  chat: CHAT,
  person: PERSON.optional().describe('id of the person whose membership changes'),
  bot: BOT.optional().describe('id of the bot whose membership changes'),
  status: z
    .enum(['creator', 'administrator', 'member', 'restricted', 'left', 'kicked'])
    .describe('what they are from now on; kicked is banned'),
  rights: RIGHTS.optional().describe('of an administrator, by the names of the Bot API; all when not given'),
  permissions: RIGHTS.optional().describe('of somebody restricted, by the names of the Bot API; none when not given'),
  by: z.int().optional().describe('id of the person or bot who changes it; themselves when not given'),
});

export const setMember = operation(
  'Somebody joins, leaves, or is promoted, restricted or banned',
  {
    input: oneOf(CHANGED_MEMBER, 'person', 'bot'),
    example: { chat: -1_001_000_000_001, person: 424_242, status: 'member' },
  },
  (sim, input): void => {
    const user = userOf(sim, input);
    const { by } = input;
    const actor = by === undefined ? user : userOf(sim, sim.bots.has(by) ? { bot: by } : { person: by });
    const allRights = input.status === 'administrator' || input.status === 'creator';
    changeMember(sim, chatOf(sim, input.chat), actor, user, {
      status: input.status,
      rights: input.rights ?? (allRights ? everything(ALL_RIGHTS) : {}),
      permissions: input.permissions ?? {},
      promotedBy: actor.id,
    });
  },
);

export const migrateGroup = operation(
  'A basic group becomes a supergroup: both chats say so, and the old one refuses calls; answers the new id',
  { input: z.strictObject({ person: PERSON, chat: CHAT }), example: { person: 424_242, chat: -1_000_000_001 } },
  (sim, input): { id: number } => {
    const { person, chat: group } = placeOf(sim, input);
    if (group.type !== 'group') throw new ControlError('only basic groups become supergroups');
    const supergroup = openSharedChat(sim, 'supergroup', group.title);
    supergroup.members = new Map(group.members);
    postMessage(sim, group, { user: person }, { migrate_to_chat_id: supergroup.id });
    group.migratedTo = supergroup.id;
    sim.storage.saveChat(group);
    postMessage(sim, supergroup, { user: person }, { migrate_from_chat_id: group.id });
    return { id: supergroup.id };
  },
);
