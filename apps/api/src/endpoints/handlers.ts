import type { operations } from '@flotilla/contract/operations.ts';
import type { Handlers } from '../operations/handler.ts';
import { accountHandlers } from './accounts.ts';
import { activityHandlers } from './activity.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { attentionHandlers } from './attention.ts';
import { auditHandlers } from './audit.ts';
import { backendHandlers } from './backends.ts';
import { botHandlers } from './bots.ts';
import { broadcastHandlers } from './broadcasts.ts';
import { chatAdminHandlers } from './chat-admins.ts';
import { chatDeskHandlers } from './chat-desk.ts';
import { chatUserHandlers } from './chat-users.ts';
import { chatHandlers } from './chats.ts';
import { deliveryHandlers } from './deliveries.ts';
import { deliveryAttemptHandlers } from './delivery-attempts.ts';
import { deliveryJobHandlers } from './delivery-jobs.ts';
import { eventSinkHandlers } from './event-sinks.ts';
import { eventHandlers } from './events.ts';
import { fileHandlers } from './files.ts';
import { fleetHandlers } from './fleet.ts';
import { listHandlers } from './lists.ts';
import { liveHandlers } from './live.ts';
import { managedBotHandlers } from './managed-bots.ts';
import { messageActionHandlers } from './message-actions.ts';
import { messageHandlers } from './messages.ts';
import { miniAppHandlers } from './mini-apps.ts';
import { noteHandlers } from './notes.ts';
import { outboxHandlers } from './outbox.ts';
import { peopleHandlers } from './people.ts';
import { programChatHandlers } from './program-chats.ts';
import { programRefusalHandlers } from './program-refusals.ts';
import { programTokenHandlers } from './program-tokens.ts';
import { programHandlers } from './programs.ts';
import { questionHandlers } from './questions.ts';
import { readerHandlers } from './readers.ts';
import { replyHandlers } from './replies.ts';
import { routeDecisionHandlers } from './route-decisions.ts';
import { routingRuleHandlers } from './routing-rules.ts';
import { savedViewHandlers } from './saved-views.ts';
import { secondFactorHandlers } from './second-factor.ts';
import { sessionHandlers } from './sessions.ts';
import { signInHandlers } from './sign-in.ts';
import { signingHandlers } from './signing.ts';
import { statsHandlers } from './stats.ts';
import { systemHandlers } from './system.ts';
import { tagHandlers } from './tags.ts';
import { topicHandlers } from './topics.ts';
import { updateHandlers } from './updates.ts';

/** The handlers of all operations of the contract. */
export const handlers: Handlers<typeof operations> = {
  ...signInHandlers,
  ...secondFactorHandlers,
  ...sessionHandlers,
  ...apiKeyHandlers,
  ...accountHandlers,
  ...fleetHandlers,
  ...savedViewHandlers,
  ...attentionHandlers,
  ...eventHandlers,
  ...eventSinkHandlers,
  ...systemHandlers,
  ...botHandlers,
  ...readerHandlers,
  ...backendHandlers,
  ...programHandlers,
  ...programTokenHandlers,
  ...programChatHandlers,
  ...programRefusalHandlers,
  ...signingHandlers,
  ...chatHandlers,
  ...chatDeskHandlers,
  ...noteHandlers,
  ...replyHandlers,
  ...topicHandlers,
  ...messageHandlers,
  ...messageActionHandlers,
  ...managedBotHandlers,
  ...miniAppHandlers,
  ...fileHandlers,
  ...chatUserHandlers,
  ...peopleHandlers,
  ...chatAdminHandlers,
  ...tagHandlers,
  ...questionHandlers,
  ...outboxHandlers,
  ...broadcastHandlers,
  ...listHandlers,
  ...routingRuleHandlers,
  ...routeDecisionHandlers,
  ...auditHandlers,
  ...statsHandlers,
  ...activityHandlers,
  ...updateHandlers,
  ...liveHandlers,
  ...deliveryHandlers,
  ...deliveryAttemptHandlers,
  ...deliveryJobHandlers,
};
