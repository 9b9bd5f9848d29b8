import type { AccountResource, ApiKeyResource } from '../../resources/account.ts';
import type { BotResource } from '../../resources/bot.ts';
import type { ChatResource } from '../../resources/chat.ts';
import { type ChatPermissions, eachPermission } from '../../resources/chat-admin.ts';
import type { MessageResource } from '../../resources/message.ts';
import type { TagResource } from '../../resources/tag.ts';

/** One of each resource; together they tell one story, so that the ids in the examples fit each other. */

export const ACCOUNT: AccountResource = {
  id: 1,
  username: 'admin',
  display_name: 'Admin',
  role: 'admin',
  bot_ids: null,
  must_change_password: false,
  created_at: '2026-01-01T09:00:00.000Z',
  last_login_at: '2026-01-02T09:00:00.000Z',
};

export const API_KEY: ApiKeyResource = {
  id: 12,
  user_id: 1,
  name: 'dashboard',
  prefix: 'flt_3vQ9ex',
  role: 'user',
  bot_ids: [7],
  enabled: true,
  expires_at: '2030-01-01T00:00:00.000Z',
  parent_id: 9,
  created_at: '2026-01-01T09:00:00.000Z',
};

export const TOKEN = '123456789:AAExampleExampleExampleExampleExamp';

export const BOT: BotResource = {
  id: 7,
  token: TOKEN,
  name: 'Help desk',
  username: 'helpdesk_bot',
  source: 'web',
  manage_enabled: true,
  proxy_enabled: false,
  backend_url: '',
  secret_token: '',
  long_poll_enabled: true,
  description: 'Answers questions about orders',
  running: true,
  webhook_mode: false,
  disabled: false,
  max_connections: 40,
  last_error: '',
  last_update_at: '2026-01-02T10:15:00.000Z',
  pending_update_count: 0,
  backend_state: 'ok',
  created_at: '2026-01-01T09:00:00.000Z',
};

export const CHAT_ID = -1001234567890;

export const CHAT: ChatResource = {
  id: CHAT_ID,
  bot_id: 7,
  title: 'Customers',
  type: 'supergroup',
  username: 'customers',
  message_count: 1234,
};

export const MESSAGE: MessageResource = {
  id: 501,
  chat_id: CHAT_ID,
  bot_id: 7,
  user_id: 424242,
  username: 'ada',
  first_name: 'Ada',
  text: 'Where is my order?',
  date: 1767348900,
  outgoing: false,
};

export const SENT_MESSAGE: MessageResource = {
  id: 502,
  chat_id: CHAT_ID,
  bot_id: 7,
  user_id: 123456789,
  username: 'helpdesk_bot',
  first_name: 'Help desk',
  text: 'On its way',
  date: 1767348960,
  reply_to_message_id: 501,
  outgoing: true,
};

export const PERMISSIONS: ChatPermissions = {
  ...eachPermission(() => false),
  can_delete_messages: true,
  can_restrict_members: true,
};

export const TAG: TagResource = {
  id: 3,
  chat_id: CHAT_ID,
  user_id: 424242,
  username: 'ada',
  tag: 'VIP',
  color: '#CC3300',
  created_at: '2026-01-02T10:20:00.000Z',
};
