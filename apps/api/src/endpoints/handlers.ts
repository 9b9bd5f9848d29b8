import type { operations } from '@flotilla/contract/operations.ts';
import type { Handlers } from '../http/handler.ts';
import { accountHandlers } from './accounts.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { auditHandlers } from './audit.ts';
import { botHandlers } from './bots.ts';
import { chatAdminHandlers } from './chat-admins.ts';
import { chatUserHandlers } from './chat-users.ts';
import { chatHandlers } from './chats.ts';
import { deliveryHandlers } from './deliveries.ts';
import { fileHandlers } from './files.ts';
import { messageHandlers } from './messages.ts';
import { routingRuleHandlers } from './routing-rules.ts';
import { signInHandlers } from './sign-in.ts';
import { statsHandlers } from './stats.ts';
import { tagHandlers } from './tags.ts';
import { updateHandlers } from './updates.ts';

/** The handlers of all operations of the contract. */
export const handlers: Handlers<typeof operations> = {
  ...signInHandlers,
  ...apiKeyHandlers,
  ...accountHandlers,
  ...botHandlers,
  ...chatHandlers,
  ...messageHandlers,
  ...fileHandlers,
  ...chatUserHandlers,
  ...chatAdminHandlers,
  ...tagHandlers,
  ...routingRuleHandlers,
  ...auditHandlers,
  ...statsHandlers,
  ...updateHandlers,
  ...deliveryHandlers,
};
