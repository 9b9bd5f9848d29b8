import { accountOperations } from './accounts.ts';
import { activityOperations } from './activity.ts';
import { apiKeyOperations } from './api-keys.ts';
import { attentionOperations } from './attention.ts';
import { auditOperations } from './audit.ts';
import { backendOperations } from './backends.ts';
import { botOperations } from './bot-operations.ts';
import { broadcastOperations } from './broadcast-operations.ts';
import { chatAdminOperations } from './chat-admins.ts';
import { chatDeskOperations } from './chat-desk.ts';
import { chatOperations } from './chat-operations.ts';
import { chatUserOperations } from './chat-users.ts';
import { deliveryOperations } from './deliveries.ts';
import { deliveryAttemptOperations } from './delivery-attempts.ts';
import { deliveryJobOperations } from './delivery-jobs.ts';
import { eventSinkOperations } from './event-sinks.ts';
import { eventOperations } from './events.ts';
import { fileOperations } from './files.ts';
import { fleetOperations } from './fleet.ts';
import { listOperations } from './lists.ts';
import { liveOperations } from './live.ts';
import { managedBotOperations } from './managed-bots.ts';
import { messageActionOperations } from './message-actions.ts';
import { messageOperations } from './message-operations.ts';
import { miniAppOperations } from './mini-apps.ts';
import { noteOperations } from './notes.ts';
import { outboxOperations } from './outbox-operations.ts';
import { peopleOperations } from './people.ts';
import { programChatOperations } from './program-chats.ts';
import { programOperations } from './program-operations.ts';
import { programRefusalOperations } from './program-refusals.ts';
import { programTokenOperations } from './program-tokens.ts';
import { questionOperations } from './questions.ts';
import { readerOperations } from './readers.ts';
import { replyOperations } from './replies.ts';
import { routeDecisionOperations } from './route-decisions.ts';
import { routingRuleOperations } from './routing-rule-operations.ts';
import { savedViewOperations } from './saved-views.ts';
import { secondFactorOperations } from './second-factor.ts';
import { sessionOperations } from './sessions.ts';
import { signInOperations } from './sign-in.ts';
import { signingOperations } from './signing.ts';
import { statsOperations } from './stats.ts';
import { systemOperations } from './system-operations.ts';
import { tagOperations } from './tags.ts';
import { topicOperations } from './topics.ts';
import { updateOperations } from './updates.ts';

/** Every operation of the REST interface, in the order of the API document. */
export const operations = {
  ...signInOperations,
  ...secondFactorOperations,
  ...sessionOperations,
  ...apiKeyOperations,
  ...accountOperations,
  ...fleetOperations,
  ...savedViewOperations,
  ...attentionOperations,
  ...eventOperations,
  ...eventSinkOperations,
  ...systemOperations,
  ...botOperations,
  ...readerOperations,
  ...backendOperations,
  ...programOperations,
  ...programTokenOperations,
  ...programChatOperations,
  ...programRefusalOperations,
  ...signingOperations,
  ...managedBotOperations,
  ...miniAppOperations,
  ...chatOperations,
  ...chatDeskOperations,
  ...noteOperations,
  ...replyOperations,
  ...topicOperations,
  ...messageOperations,
  ...messageActionOperations,
  ...fileOperations,
  ...chatUserOperations,
  ...peopleOperations,
  ...chatAdminOperations,
  ...tagOperations,
  ...broadcastOperations,
  ...listOperations,
  ...questionOperations,
  ...outboxOperations,
  ...routingRuleOperations,
  ...routeDecisionOperations,
  ...auditOperations,
  ...statsOperations,
  ...activityOperations,
  ...updateOperations,
  ...liveOperations,
  ...deliveryOperations,
  ...deliveryAttemptOperations,
  ...deliveryJobOperations,
};
