import type { User } from './user.ts';

export type MemberStatus = 'creator' | 'administrator' | 'member' | 'restricted' | 'left' | 'kicked';

/** The rights of a chat-admin under the Bot API's names; an absent name means false. */
export type AdminRights = Record<string, boolean>;

export type Member = {
  user: User;
  status: MemberStatus;
  rights: AdminRights;
  /** Used while the status is `restricted`: what the member may still do. */
  permissions: Record<string, boolean>;
  untilDateS: number;
  customTitle: string;
  isAnonymous: boolean;
  promotedBy: number;
};

/** A topic of a forum, in Bot API fields. */
export type Topic = {
  message_thread_id: number;
  name: string;
  icon_color: number;
  icon_custom_emoji_id?: string;
  isClosed: boolean;
};

/** An invite link, in Bot API fields, and who made it. */
export type InviteLink = Record<string, unknown> & {
  invite_link: string;
  creator: User;
  creates_join_request: boolean;
  is_primary: boolean;
  is_revoked: boolean;
};

export type JoinRequest = { userId: number; link: string; queryId: string };

/** A message as the Bot API shows it; keys stay in the platform's order. */
export type Message = Record<string, unknown> & {
  message_id: number;
  date: number;
  from?: User;
  chat: Record<string, unknown>;
};

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel';

export type Chat = {
  /** Equals the chat's id except in private chats: each bot has a separate private chat with the same person. */
  key: string;
  id: number;
  type: ChatType;
  title: string;
  username: string;
  description: string;
  /** The person in a private chat; null in all other chats. */
  person: User | null;
  botId: number;
  members: Map<number, Member>;
  messages: Map<number, Message>;
  nextMessageId: number;
  pinned: number[];
  permissions: Record<string, boolean>;
  reactions: Map<number, Map<number, unknown[]>>;
  /** Used in private chats: `started` when the person has written, `blocked` when the person blocked the bot. */
  started: boolean;
  blocked: boolean;
  migratedTo: number;
  /** The id of its photo's file; '' without one. */
  photo: string;
  isForum: boolean;
  /** By the id of the message that made the topic, which is its message_thread_id. */
  topics: Record<number, Topic>;
  general: { name: string; isClosed: boolean; isHidden: boolean };
  inviteLinks: InviteLink[];
  joinRequests: JoinRequest[];
  /** By draft_id: what a bot shows while it writes. */
  drafts: Record<string, unknown>;
  /** The id of the business connection through which a bot sees it; '' for all other chats. */
  business: string;
  actions: { userId: number; action: string; atMs: number }[];
  /** The keyboard that a bot shows instead of the usual one, or its request for a reply; the message that brought it. */
  keyboard: { messageId: number; botId: number; markup: Record<string, unknown> } | null;
};

export const ALL_RIGHTS = [
  'can_manage_chat',
  'can_change_info',
  'can_delete_messages',
  'can_invite_users',
  'can_restrict_members',
  'can_pin_messages',
  'can_manage_topics',
  'can_promote_members',
  'can_manage_video_chats',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'can_post_messages',
  'can_edit_messages',
] as const;

export const ALL_PERMISSIONS = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
] as const;

export function privateKey(botId: number, personId: number): string {
  return `${botId}:${personId}`;
}

export function everything(names: readonly string[]): Record<string, boolean> {
  return Object.fromEntries(names.map((name) => [name, true]));
}

export function newMember(user: User, status: MemberStatus, rights: AdminRights = {}): Member {
  return {
    user,
    status,
    rights: status === 'creator' ? everything(ALL_RIGHTS) : rights,
    permissions: {},
    untilDateS: 0,
    customTitle: '',
    isAnonymous: false,
    promotedBy: 0,
  };
}

/** The `chat` object inside messages and updates. */
export function showChat(chat: Chat): Record<string, unknown> {
  if (chat.person !== null) {
    const { id, first_name, last_name, username } = chat.person;
    return { id, first_name, ...(last_name && { last_name }), ...(username && { username }), type: 'private' };
  }
  const { id, title, username, type, isForum } = chat;
  return { id, title, ...(username && { username }), type, ...(isForum && { is_forum: true }) };
}

export function isIn(member: Member | undefined): boolean {
  return member !== undefined && member.status !== 'left' && member.status !== 'kicked';
}

export function isAdmin(member: Member | undefined): boolean {
  return member?.status === 'creator' || member?.status === 'administrator';
}

/** True if a chat-admin has the right; the creator has every right. */
export function hasRight(member: Member | undefined, right: string): boolean {
  return member?.status === 'creator' || (member?.status === 'administrator' && member.rights[right] === true);
}
