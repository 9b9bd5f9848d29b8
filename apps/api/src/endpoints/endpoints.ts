import type { Endpoint } from '../http/define-endpoint.ts';
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
import { toggleBotDisabledEndpoint } from './bots/toggle-bot-disabled.ts';
import { updateBotEndpoint } from './bots/update-bot.ts';
import { validateTokenEndpoint } from './bots/validate-token.ts';
import { listChatsEndpoint } from './chats/list-chats.ts';
import { listDeliveriesEndpoint } from './deliveries/list-deliveries.ts';
import { listDeliveryAttemptsEndpoint } from './deliveries/list-delivery-attempts.ts';
import { redriveDeliveriesEndpoint } from './deliveries/redrive-deliveries.ts';
import { listMessagesEndpoint } from './messages/list-messages.ts';
import { sendMessageEndpoint } from './messages/send-message.ts';
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
  listBotsEndpoint,
  addBotEndpoint,
  validateTokenEndpoint,
  updateBotEndpoint,
  toggleBotDisabledEndpoint,
  deleteBotEndpoint,
  checkBackendHealthEndpoint,
  listChatsEndpoint,
  listMessagesEndpoint,
  sendMessageEndpoint,
  pollUpdatesEndpoint,
  listDeliveriesEndpoint,
  listDeliveryAttemptsEndpoint,
  redriveDeliveriesEndpoint,
];
