import type { Endpoint } from '../http/define-endpoint.ts';
import { addAccountEndpoint } from './accounts/add-account.ts';
import { deleteAccountEndpoint } from './accounts/delete-account.ts';
import { listAccountsEndpoint } from './accounts/list-accounts.ts';
import { resetPasswordEndpoint } from './accounts/reset-password.ts';
import { updateAccountEndpoint } from './accounts/update-account.ts';
import { listAuditEntriesEndpoint } from './audit/list-audit-entries.ts';
import { changePasswordEndpoint } from './auth/change-password.ts';
import { createApiKeyEndpoint } from './auth/create-api-key.ts';
import { deleteApiKeyEndpoint } from './auth/delete-api-key.ts';
import { listApiKeysEndpoint } from './auth/list-api-keys.ts';
import { loginEndpoint } from './auth/login.ts';
import { logoutEndpoint } from './auth/logout.ts';
import { showOwnAccountEndpoint } from './auth/show-own-account.ts';
import { toggleApiKeyEndpoint } from './auth/toggle-api-key.ts';
import { addBotEndpoint } from './bots/add-bot.ts';
import { checkBackendHealthEndpoint } from './bots/check-backend-health.ts';
import { deleteBotEndpoint } from './bots/delete-bot.ts';
import { listBotsEndpoint } from './bots/list-bots.ts';
import { revealTokenEndpoint } from './bots/reveal-token.ts';
import { showBotEndpoint } from './bots/show-bot.ts';
import { toggleBotDisabledEndpoint } from './bots/toggle-bot-disabled.ts';
import { updateBotEndpoint } from './bots/update-bot.ts';
import { validateTokenEndpoint } from './bots/validate-token.ts';
import { demoteChatAdminEndpoint } from './chat-admins/demote-chat-admin.ts';
import { listChatAdminsEndpoint } from './chat-admins/list-chat-admins.ts';
import { promoteChatUserEndpoint } from './chat-admins/promote-chat-user.ts';
import { setChatAdminTitleEndpoint } from './chat-admins/set-chat-admin-title.ts';
import { banChatUserEndpoint } from './chat-users/ban-chat-user.ts';
import { listChatUsersEndpoint } from './chat-users/list-chat-users.ts';
import { unbanChatUserEndpoint } from './chat-users/unban-chat-user.ts';
import { deleteChatEndpoint } from './chats/delete-chat.ts';
import { listChatsEndpoint } from './chats/list-chats.ts';
import { refreshChatEndpoint } from './chats/refresh-chat.ts';
import { listDeliveriesEndpoint } from './deliveries/list-deliveries.ts';
import { listDeliveryAttemptsEndpoint } from './deliveries/list-delivery-attempts.ts';
import { redriveDeliveriesEndpoint } from './deliveries/redrive-deliveries.ts';
import { downloadFileEndpoint } from './files/download-file.ts';
import { deleteMessageEndpoint } from './messages/delete-message.ts';
import { exportChatEndpoint } from './messages/export-chat.ts';
import { listMessagesEndpoint } from './messages/list-messages.ts';
import { pinMessageEndpoint } from './messages/pin-message.ts';
import { searchMessagesEndpoint } from './messages/search-messages.ts';
import { sendMessageEndpoint } from './messages/send-message.ts';
import { unpinMessageEndpoint } from './messages/unpin-message.ts';
import { addRoutingRuleEndpoint } from './routing-rules/add-routing-rule.ts';
import { deleteRoutingRuleEndpoint } from './routing-rules/delete-routing-rule.ts';
import { listRoutingRulesEndpoint } from './routing-rules/list-routing-rules.ts';
import { updateRoutingRuleEndpoint } from './routing-rules/update-routing-rule.ts';
import { showChatStatsEndpoint } from './stats/show-chat-stats.ts';
import { addTagEndpoint } from './tags/add-tag.ts';
import { listTagsEndpoint } from './tags/list-tags.ts';
import { listTagsOfUserEndpoint } from './tags/list-tags-of-user.ts';
import { removeTagEndpoint } from './tags/remove-tag.ts';
import { pollUpdatesEndpoint } from './updates/poll-updates.ts';

/** Every operation the api serves. */
export const endpoints: readonly Endpoint[] = [
  loginEndpoint,
  logoutEndpoint,
  showOwnAccountEndpoint,
  changePasswordEndpoint,
  listApiKeysEndpoint,
  createApiKeyEndpoint,
  toggleApiKeyEndpoint,
  deleteApiKeyEndpoint,
  listAccountsEndpoint,
  addAccountEndpoint,
  updateAccountEndpoint,
  deleteAccountEndpoint,
  resetPasswordEndpoint,
  listBotsEndpoint,
  showBotEndpoint,
  addBotEndpoint,
  validateTokenEndpoint,
  updateBotEndpoint,
  toggleBotDisabledEndpoint,
  revealTokenEndpoint,
  deleteBotEndpoint,
  checkBackendHealthEndpoint,
  listChatsEndpoint,
  refreshChatEndpoint,
  deleteChatEndpoint,
  listMessagesEndpoint,
  exportChatEndpoint,
  searchMessagesEndpoint,
  sendMessageEndpoint,
  deleteMessageEndpoint,
  pinMessageEndpoint,
  unpinMessageEndpoint,
  downloadFileEndpoint,
  listChatUsersEndpoint,
  banChatUserEndpoint,
  unbanChatUserEndpoint,
  listChatAdminsEndpoint,
  setChatAdminTitleEndpoint,
  promoteChatUserEndpoint,
  demoteChatAdminEndpoint,
  listTagsEndpoint,
  listTagsOfUserEndpoint,
  addTagEndpoint,
  removeTagEndpoint,
  listRoutingRulesEndpoint,
  addRoutingRuleEndpoint,
  updateRoutingRuleEndpoint,
  deleteRoutingRuleEndpoint,
  listAuditEntriesEndpoint,
  showChatStatsEndpoint,
  pollUpdatesEndpoint,
  listDeliveriesEndpoint,
  listDeliveryAttemptsEndpoint,
  redriveDeliveriesEndpoint,
];
