import { type Fields, readText } from './platform-fields.ts';
import {
  amount,
  bounded,
  community,
  doneTasks,
  gift,
  isThere,
  joined,
  LABEL_CHARACTERS,
  list,
  moment,
  NAME_CHARACTERS,
  number,
  object,
  people,
  person,
  position,
  price,
  quoted,
  sentence,
  stars,
  suggested,
  tasks,
  taskText,
  titled,
} from './service-labels.ts';

export interface MessageService {
  /** The kind of a message that is neither words nor a medium: 'joined', 'location', … */
  service: string;
  /** The same in one line for people. */
  label: string;
}

type Labeller = [service: string, label: (content: Fields) => string];

/** Fields whose service has another name, or whose label says more than the name. The first one present counts. */
const CONTENTS: Readonly<Record<string, Labeller>> = {
  new_chat_members: ['joined', (m) => titled('Joined', people(m.new_chat_members))],
  left_chat_member: ['left', (m) => titled('Left', person(object(m, 'left_chat_member')))],
  pinned_message: ['pinned', (m) => titled('Pinned', quoted(object(m, 'pinned_message')))],
  new_chat_title: ['title_changed', (m) => titled('Title changed', readText(m, 'new_chat_title'))],
  new_chat_photo: ['photo_changed', () => 'Photo changed'],
  delete_chat_photo: ['photo_deleted', () => 'Photo deleted'],
  group_chat_created: ['chat_created', () => 'Group created'],
  supergroup_chat_created: ['chat_created', () => 'Supergroup created'],
  channel_chat_created: ['chat_created', () => 'Channel created'],
  migrate_to_chat_id: ['migrated', (m) => titled('Became the supergroup', number(m, 'migrate_to_chat_id'))],
  migrate_from_chat_id: ['migrated', (m) => titled('Was the group', number(m, 'migrate_from_chat_id'))],
  // A venue also has its location, for old clients, so it is looked for first.
  venue: of('venue', (it) => titled('Venue', joined(readText(it, 'title'), readText(it, 'address')))),
  location: of('location', (it) => titled(it.live_period === undefined ? 'Location' : 'Live location', position(it))),
  contact: of('contact', (it) => titled('Contact', joined(person(it), readText(it, 'phone_number')))),
  dice: of('dice', (it) => titled(`Dice ${readText(it, 'emoji') ?? ''}`.trim(), number(it, 'value'))),
  poll: of('poll', (it) => titled('Poll', readText(it, 'question'))),
  game: of('game', (it) =>
    titled('Game', joined(readText(it, 'title'), readText(it, 'description'), readText(it, 'text'))),
  ),
  story: of('story', (it) => titled('Story', person(object(it, 'chat')))),
  checklist: of('checklist', (it) => titled(titled('Checklist', readText(it, 'title')), tasks(it))),
  checklist_tasks_done: of('checklist_tasks_done', (it) => doneTasks(it)),
  checklist_tasks_added: of('checklist_tasks_added', (it) => titled('Tasks added', list(it.tasks, taskText))),
  widget: of('widget', () => 'Widget'),
  invoice: of('invoice', (it) => titled('Invoice', joined(readText(it, 'title'), readText(it, 'description')))),
  successful_payment: of('successful_payment', (it) => titled('Payment received', amount(it))),
  refunded_payment: of('refunded_payment', (it) => titled('Payment refunded', amount(it))),
  paid_media: of('paid_media', (it) => titled('Paid media', stars(it, 'star_count'))),
  gift: of('gift', (it) => titled('Gift', gift(it))),
  gift_upgrade_sent: of('gift_upgrade_sent', (it) => titled('Upgrade of a gift paid', gift(it))),
  unique_gift: of('unique_gift', (it) => titled('Unique gift', readText(object(it, 'gift'), 'base_name'))),
  giveaway: of('giveaway', (it) =>
    titled('Giveaway, winners', joined(number(it, 'winner_count'), readText(it, 'prize_description'))),
  ),
  giveaway_winners: of('giveaway_winners', (it) =>
    titled('Giveaway winners', joined(people(it.winners), readText(it, 'prize_description'))),
  ),
  giveaway_completed: of('giveaway_completed', (it) =>
    titled('Giveaway completed, winners', number(it, 'winner_count')),
  ),
  users_shared: of('users_shared', (it) => titled('Users shared', people(it.users))),
  chat_shared: of('chat_shared', (it) => titled('Chat shared', readText(it, 'title') ?? number(it, 'chat_id'))),
  connected_website: ['connected_website', (m) => titled('Signed in to the website', readText(m, 'connected_website'))],
  write_access_allowed: of('write_access_allowed', (it) =>
    titled('Allowed the bot to write', readText(it, 'web_app_name')),
  ),
  chat_background_set: of('chat_background_set', (it) =>
    titled('Background changed', readText(object(it, 'type'), 'type')),
  ),
  passport_data: ['passport_data', () => 'Passport data'],
  message_auto_delete_timer_changed: of('message_auto_delete_timer_changed', (it) =>
    titled('Auto-delete timer changed, seconds', number(it, 'message_auto_delete_time')),
  ),
  proximity_alert_triggered: of('proximity_alert_triggered', (it) =>
    titled('Proximity alert', joined(person(object(it, 'traveler')), person(object(it, 'watcher')))),
  ),
  boost_added: of('boost_added', (it) => titled('Boosts added', number(it, 'boost_count'))),
  chat_owner_left: of('chat_owner_left', (it) => titled('Owner left, next', person(object(it, 'new_owner')))),
  chat_owner_changed: of('chat_owner_changed', (it) => titled('New owner', person(object(it, 'new_owner')))),
  community_chat_added: of('community_chat_added', (it) => titled('Added to the community', community(it))),
  community_chat_joined: of('community_chat_joined', (it) => titled('Joined the community', community(it))),
  community_chat_removed: of('community_chat_removed', (it) => titled('Removed from the community', community(it))),
  forum_topic_created: of('forum_topic_created', (it) => titled('Topic created', readText(it, 'name'))),
  forum_topic_edited: of('forum_topic_edited', (it) => titled('Topic edited', readText(it, 'name'))),
  forum_topic_closed: ['forum_topic_closed', () => 'Topic closed'],
  forum_topic_reopened: ['forum_topic_reopened', () => 'Topic reopened'],
  general_forum_topic_hidden: ['general_forum_topic_hidden', () => 'General topic hidden'],
  general_forum_topic_unhidden: ['general_forum_topic_unhidden', () => 'General topic shown'],
  managed_bot_created: of('managed_bot_created', (it) => titled('Bot created', person(object(it, 'bot')))),
  paid_message_price_changed: of('paid_message_price_changed', (it) =>
    titled('Price of messages changed', stars(it, 'paid_message_star_count')),
  ),
  direct_message_price_changed: of('direct_message_price_changed', (it) =>
    titled('Price of direct messages changed', stars(it, 'direct_message_star_count')),
  ),
  poll_option_added: of('poll_option_added', (it) => titled('Poll option added', readText(it, 'option_text'))),
  poll_option_deleted: of('poll_option_deleted', (it) => titled('Poll option deleted', readText(it, 'option_text'))),
  suggested_post_approved: of('suggested_post_approved', (it) =>
    titled('Suggested post approved', joined(suggested(it), price(object(it, 'price')), moment(it.send_date))),
  ),
  suggested_post_approval_failed: of('suggested_post_approval_failed', (it) =>
    titled('Approval of the suggested post failed', joined(suggested(it), price(object(it, 'price')))),
  ),
  suggested_post_declined: of('suggested_post_declined', (it) =>
    titled('Suggested post declined', joined(suggested(it), readText(it, 'comment'))),
  ),
  suggested_post_paid: of('suggested_post_paid', (it) =>
    titled('Suggested post paid', joined(suggested(it), stars(object(it, 'star_amount'), 'amount') ?? price(it))),
  ),
  suggested_post_refunded: of('suggested_post_refunded', (it) =>
    titled('Suggested post refunded', joined(suggested(it), readText(it, 'reason')?.replaceAll('_', ' ') ?? null)),
  ),
  video_chat_started: ['video_chat_started', () => 'Video chat started'],
  giveaway_created: of('giveaway_created', (it) => titled('Giveaway created', stars(it, 'prize_star_count'))),
  video_chat_scheduled: of('video_chat_scheduled', (it) => titled('Video chat scheduled', moment(it.start_date))),
  video_chat_ended: of('video_chat_ended', (it) => titled('Video chat ended, seconds', number(it, 'duration'))),
  video_chat_participants_invited: of('video_chat_participants_invited', (it) =>
    titled('Invited to the video chat', people(it.users)),
  ),
  web_app_data: of('web_app_data', (it) => titled('Web app data', readText(it, 'data'))),
};

/** The services that are content of a person or a bot. All others are events of the chat. */
export const SAID_SERVICES: readonly string[] = [
  ...['venue', 'location', 'contact', 'dice', 'poll', 'game', 'story', 'checklist', 'paid_media', 'giveaway'],
  ...['users_shared', 'chat_shared', 'web_app_data', 'passport_data', 'widget'],
];

/** Fields of a Message besides its content (and older names that servers still send). */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['message_id', 'message_thread_id', 'ephemeral_message_id', 'business_connection_id', 'guest_query_id', 'date'],
  ...['from', 'sender_chat', 'sender_boost_count', 'sender_business_bot', 'sender_tag', 'receiver_user', 'chat'],
  ...['via_bot', 'guest_bot_caller_user', 'guest_bot_caller_chat', 'author_signature', 'direct_messages_topic'],
  ...['forward_origin', 'forward_from', 'forward_from_chat', 'forward_from_message_id', 'forward_signature'],
  ...['forward_sender_name', 'forward_date', 'is_topic_message', 'is_automatic_forward', 'is_from_offline'],
  ...['is_paid_post', 'paid_star_count', 'reply_to_message', 'external_reply', 'quote', 'reply_to_story'],
  ...['reply_to_checklist_task_id', 'reply_to_poll_option_id', 'edit_date', 'has_protected_content', 'media_group_id'],
  ...['text', 'entities', 'link_preview_options', 'suggested_post_info', 'effect_id', 'caption', 'caption_entities'],
  ...['show_caption_above_media', 'has_media_spoiler', 'reply_markup', 'new_chat_member', 'new_chat_participant'],
  ...['left_chat_participant', 'user_shared'],
]);

/**
 * The service of a message without a medium: an event of the chat, a location, a poll. An unknown field counts under
 * its own name. Null for a message that is only words.
 */
export function readMessageService(message: Fields, words: string | null): MessageService | null {
  // Nearly every message is plain text.
  if (readText(message, 'text')) return null;
  const known = Object.keys(CONTENTS).find((field) => isThere(message[field]));
  if (known !== undefined) {
    const [service, label] = CONTENTS[known] as Labeller;
    return { service, label: bounded(label(message), LABEL_CHARACTERS) };
  }
  if (words) return null;
  const other = Object.keys(message).find((field) => !ATTRIBUTES.has(field) && isThere(message[field]));
  if (other === undefined) return { service: 'unsupported', label: 'Unsupported message' };
  const service = bounded(other, NAME_CHARACTERS);
  return { service, label: sentence(service) };
}

/** True for a field of a Message that is an attribute, or a content with words of its own. */
export function isReadField(field: string): boolean {
  return ATTRIBUTES.has(field) || Object.hasOwn(CONTENTS, field);
}

/**
 * A ban or its end, from a `chat_member` or `my_chat_member` update. In a private chat, the person has blocked the bot
 * or unblocked it. Null for all other changes.
 */
export function readMemberService(change: Fields): MessageService | null {
  const [before, after] = [object(change, 'old_chat_member'), object(change, 'new_chat_member')];
  const isBan = after.status === 'kicked';
  if (isBan === (before.status === 'kicked')) return null;
  const service = isBan ? 'ban' : 'unban';
  if (object(change, 'chat').type === 'private') {
    return { service, label: isBan ? 'Blocked the bot' : 'Unblocked the bot' };
  }
  const label = titled(isBan ? 'Banned' : 'Unbanned', person(object(after, 'user')));
  return { service, label: bounded(label, LABEL_CHARACTERS) };
}

/** A service with the name of its field, labelled by the object in that field. */
function of(field: string, label: (content: Fields) => string): Labeller {
  return [field, (message) => label(object(message, field))];
}
