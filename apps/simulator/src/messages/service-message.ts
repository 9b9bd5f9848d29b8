/** Fields of messages that tell of an event of the chat. Such messages cannot be copied or forwarded. */
const SERVICE_FIELDS = [
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'pinned_message',
  'group_chat_created',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'successful_payment',
  'refunded_payment',
];

export function isServiceMessage(message: Record<string, unknown>): boolean {
  return SERVICE_FIELDS.some((field) => message[field] !== undefined);
}
