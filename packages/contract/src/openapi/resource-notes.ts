import type { JsonSchema } from './json-schema.ts';

/** What a field of an answer is where its schema does not say: by resource and name, or by name where all mean the same. */
const RESOURCE_NOTES: Readonly<Record<string, string>> = {
  ok: 'Always true.',
  id: 'Our own id, never used again.',
  bot_id: 'Our own id of the bot.',
  chat_id: "The platform's id of the chat.",
  user_id: "The platform's id of the user.",
  update_id: "The update's id, as its readers get it.",
  username: 'The username, without @.',
  first_name: 'The first name.',
  last_name: 'The last name.',
  title: 'The title.',
  name: 'A name for people.',
  description: 'A text for people.',
  role: 'What the holder may do.',
  is_bot: 'Whether it is a bot.',
  enabled: 'Whether it is in use.',
  message_count: 'How many messages.',
  created_at: 'When it was made.',
  expires_at: 'When it ends; absent: never.',
  last_used_at: 'When it was used last, to the minute; absent: never.',
  actor_username: 'Who did it, by name.',
  details: 'More about it, for people.',
  error: 'What went wrong, in a sentence for people.',
  duration_ms: 'Milliseconds from sending to the whole answer.',
  'Account.display_name': 'The name that people see.',
  'Account.must_change_password': 'Whether a session can do nothing before the password is changed.',
  'Account.last_login_at': 'When it signed in last; absent: never.',
  'Admin.id': "The platform's id of the administrator.",
  'Admin.status': 'creator has every permission.',
  'Admin.custom_title': 'What stands beside the name.',
  'Admin.permissions': 'What the administrator may do.',
  'ApiKey.user_id': 'The account that the key belongs to.',
  'AuditEntry.action': 'What was done; AuditAction says which there are.',
  'AuditEntry.target_username': 'The username of that user, as last seen in the chat.',
  'Bot.name': 'A name for people; at first the name that the platform knows.',
  'Bot.source': 'web: added by this API; cli: by a setWebhook of its program, or by a command.',
  'Bot.manage_enabled': 'Whether a history is kept, rules run and chats can be managed.',
  'Bot.proxy_enabled': 'Whether updates are forwarded to the backend.',
  'Bot.backend_url': "Where the bot's program takes its updates, by POST; empty: nowhere.",
  'Bot.long_poll_enabled': 'Whether updates can be polled for.',
  'Bot.running': 'Whether updates come in: its webhook is ours, or the platform was asked successfully within 90 s.',
  'Bot.webhook_mode': 'Whether the platform pushes the updates to us; otherwise we poll for them.',
  'Bot.disabled': 'Whether nothing is taken in, forwarded, routed or sent.',
  'Bot.max_connections': 'How many updates are forwarded at once; 0: the default of 40.',
  'Bot.last_update_at': 'When the last update came; absent: never.',
  'Bot.pending_update_count':
    'Updates that wait for the backend while they are forwarded, or for its return within an hour; otherwise for the default poll consumer.',
  'Bot.backend_state': 'failing: the last tries failed. open: it has failed for 10 s and gets one probe now and then.',
  'Chat.id': "The platform's id of the chat.",
  'Chat.title': 'The title; of a private chat the name of the person.',
  'Chat.type': "The platform's word for the kind of chat.",
  'Chat.message_count': 'Messages kept and not deleted.',
  can_change_info: 'Change the title, the picture and the like.',
  can_post_messages: 'Post in a channel.',
  can_edit_messages: 'Edit the posts of others in a channel.',
  can_delete_messages: 'Delete messages of others.',
  can_invite_users: 'Invite people.',
  can_restrict_members: 'Restrict and ban members.',
  can_pin_messages: 'Pin messages.',
  can_promote_members: 'Make others administrators.',
  can_manage_video_chats: 'Manage video chats.',
  can_manage_chat: 'What every administrator may: see who did what, statistics, hidden members.',
  'Delivery.state': 'retrying: it is tried again. dead: it was given up.',
  'Delivery.attempts': 'How often it was tried.',
  'Delivery.reason_code': 'Why it failed last, or was given up.',
  'Delivery.last_failed_at': 'When the last try failed.',
  'Delivery.next_attempt_at': 'When it is tried again.',
  'Delivery.dead_at': 'When it was given up.',
  'DeliveryAttempt.at': 'When it was sent.',
  'DeliveryAttempt.error': 'What went wrong; absent when it was delivered.',
  'Error.code': 'The same for programs.',
  'Error.request_id': 'As in `X-Request-Id` and in the log.',
  'Error.details': 'Of a 400: every fault, not only the first.',
  'Error.details.path': 'The input at fault; `body` or `query` where it is the whole of it.',
  'Error.details.reason': 'What is wrong with it, continuing the sentence that its name begins.',
  'FailedDestination.reason_code': 'Why.',
  'FailedDestination.error': 'The same for people.',
  'Health.healthy': 'Whether its program answers.',
  'Health.latency_ms': 'Milliseconds until it answered.',
  'Message.id': "The platform's number of the message, a counter of its chat; negative for a callback and a ban.",
  'Message.text':
    'The text or the caption; of a callback the data of its button; else what `service` names, for people.',
  'Message.media_type': 'What it carries; absent for text.',
  'Message.file_id': 'What `GET /api/files` takes; absent without a file.',
  'Message.reply_to_message_id': 'The message that it answers; of a callback the one with the button.',
  'Message.edited_at': 'When it was edited last; absent: never.',
  'Message.deleted_at': 'When it was deleted; absent: it is there.',
  'Message.outgoing': 'Whether the bot itself sent it.',
  'Message.service':
    'What a message is that is no plain text and carries no medium: joined, left, pinned, title_changed, photo_changed, photo_deleted, chat_created, migrated, ban, unban, unsupported, or the name of its field in the Bot API, such as location, contact, dice, poll.',
  'NewApiKey.key': 'The key itself, which is never shown again.',
  'OwnAccount.api_key.id': 'The id of the key.',
  'PollResult.result': 'The updates, oldest first, in the bytes of the platform.',
  'Redriven.redriven': 'How many are on their way again.',
  'Route.source_bot_id': 'The bot whose messages it is about.',
  'Route.target_bot_id': 'The bot that sends.',
  'Route.condition_type': 'What `condition_value` is compared with.',
  'Route.condition_value':
    'chat_id, user_id: that id. keyword: a word or phrase. text: a regular expression. all: empty.',
  'Route.action': 'forward shows where a message came from, copy does not, drop keeps it from the backend.',
  'Stats.top_users.id': "The platform's id of the user.",
  'Stats.hourly.hour': 'The hour of the day, UTC.',
  'Tag.tag': 'The note itself.',
  'User.id': "The platform's id of the user.",
};

/** Resources that have the fields of another one. */
const ALIKE: Readonly<Record<string, string>> = { NewApiKey: 'ApiKey', OwnAccount: 'Account' };

/** A component's schema with a description for every field that has none yet. */
export function describeFields(resource: string, schema: JsonSchema): JsonSchema {
  return described([resource, ...(ALIKE[resource] === undefined ? [] : [ALIKE[resource]])], schema);
}

function described(places: readonly string[], schema: JsonSchema): JsonSchema {
  const { properties, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  if (items !== undefined) return { ...schema, items: described(places, items) };
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const inside = places.map((place) => `${place}.${name}`);
    const note = inside.map((place) => RESOURCE_NOTES[place]).find((found) => found !== undefined);
    const description = field.description ?? note ?? RESOURCE_NOTES[name];
    return [name, described(inside, { ...field, ...(description === undefined ? {} : { description }) })];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}
