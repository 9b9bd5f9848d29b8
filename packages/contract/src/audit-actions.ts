import { z } from 'zod';

/** Everything that leaves an audit entry, with what it means. */
const MEANINGS = {
  ban: 'a user, or a chat that writes, was banned from a chat',
  unban: 'a ban was lifted',
  restrict: 'what a member may do was restricted',
  promote: 'a member was made an administrator, or given other permissions',
  demote: 'an administrator was made a member again',
  title: 'an administrator was given a title (`target_id`), or the chat another name',
  member_tag: 'a member was given a tag that the platform shows',
  approve: 'a request to join was approved',
  decline: 'a request to join was declined',
  pin: 'a message was pinned',
  unpin: 'a message was unpinned',
  unpin_all: 'all messages were unpinned',
  delete: 'messages were deleted for everybody',
  description: 'the description of a chat was changed',
  photo: 'the photo of a chat was changed',
  permissions: 'what members of a chat may do was changed',
  sticker_set: 'the sticker set of a chat was changed',
  invite_link: 'an invite link was created, edited, revoked or exported',
  topic: 'a topic of a forum was created, edited, closed, reopened or deleted',
  leave: 'the bot left a chat',
  send: 'a message was sent as the bot, by REST',
  edit: 'a message of the bot was edited, by REST',
  tag_add: 'a user of a chat was tagged',
  tag_remove: 'a tag was removed',
  chat_delete: 'a chat and its messages were removed from Flotilla',
  export: 'the messages of a chat were exported',
  bot_add: 'a bot was registered, by REST or by its own setWebhook',
  bot_update: 'settings of a bot were changed, by REST, setWebhook, deleteWebhook or the kinds named in getUpdates',
  bot_enable: 'a bot was enabled',
  bot_disable: 'a bot was disabled',
  bot_delete: 'a bot was deleted',
  bot_log_out: 'a bot called logOut or close, which Flotilla answers and does not pass on; at most one entry an hour',
  token_reveal: 'the token of a bot was shown to an admin',
  test_delivery: 'a test update was sent to the backend of a bot',
  redrive: 'dead letters of a bot were sent again',
  discard: 'dead letters of a bot were deleted',
  backend_resume: 'somebody had a backend tried again at once',
  consumer_forget: 'a named consumer of a bot was forgotten',
  route_add: 'a routing rule was added',
  route_update: 'a routing rule was changed',
  route_delete: 'a routing rule was deleted',
  account_add: 'an account was created',
  account_update: 'an account was changed',
  account_delete: 'an account was deleted, with its keys and sessions',
  password_change: 'somebody changed their own password',
  password_reset: 'an admin set the password of an account',
  key_add: 'an API key was created',
  key_enable: 'an API key was enabled',
  key_disable: 'an API key was disabled',
  key_delete: 'an API key was deleted',
  sign_in: 'somebody signed in',
  sign_in_limit: 'sign-ins failed so often that the limit was reached',
  sign_out: 'somebody signed out',
  session_end: 'somebody ended one of their sessions',
  keys_rotate: 'an operator encrypted the stored secrets with another key',
  restore: 'an operator restored a backup',
} as const;

export type AuditAction = keyof typeof MEANINGS;

export const AUDIT_ACTIONS = Object.keys(MEANINGS) as [AuditAction, ...AuditAction[]];

export const auditAction = z.enum(AUDIT_ACTIONS).meta({
  id: 'AuditAction',
  description: Object.entries(MEANINGS)
    .map(([action, meaning]) => `- \`${action}\`: ${meaning}`)
    .join('\n'),
});
