import * as foundation from './migrations/20261120T120000-foundation.ts';
import * as routing from './migrations/20261120T140000-routing.ts';
import * as chatAuthors from './migrations/20261121T190000-chat-authors.ts';
import * as reasonsOfDeadLetters from './migrations/20261122T130000-reasons-of-dead-letters.ts';
import * as keyParents from './migrations/20261122T140000-key-parents.ts';
import * as keyParentsIndex from './migrations/20261122T140100-key-parents-index.ts';
import * as sealedBackendUrls from './migrations/20261122T150000-sealed-backend-urls.ts';
import * as usernameKeys from './migrations/20261122T151000-username-keys.ts';
import * as usernameKeysIndex from './migrations/20261122T151100-username-keys-index.ts';
import * as auditOfTheFleet from './migrations/20261122T160000-audit-of-the-fleet.ts';
import * as auditByBot from './migrations/20261122T160100-audit-by-bot.ts';
import * as auditByActor from './migrations/20261122T160200-audit-by-actor.ts';
import * as auditByAction from './migrations/20261122T160300-audit-by-action.ts';
import * as reservedUpdateIds from './migrations/20261122T170000-reserved-update-ids.ts';
import * as messagesByAuthor from './migrations/20261122T180000-messages-by-author-index.ts';
import * as messagesByMedia from './migrations/20261122T180100-messages-by-media-index.ts';
import * as deletedMessages from './migrations/20261122T180200-deleted-messages-index.ts';
import * as chatsByType from './migrations/20261122T180300-chats-by-type-index.ts';
import * as messageServices from './migrations/20261122T190000-message-services.ts';
import * as activityHours from './migrations/20261122T200000-activity-hours.ts';
import * as messageDetails from './migrations/20261122T230000-message-details.ts';
import * as deadLettersInOrder from './migrations/20261122T233000-dead-letters-in-order.ts';
import * as deliveryJobs from './migrations/20261122T233100-delivery-jobs.ts';
import * as recentChats from './migrations/20261122T234000-recent-chats.ts';
import * as recentChatsIndex from './migrations/20261122T234100-recent-chats-index.ts';
import * as recentChatsOfBotIndex from './migrations/20261122T234200-recent-chats-of-bot-index.ts';
import * as excerptsOfDeadLetters from './migrations/20261122T235000-excerpts-of-dead-letters.ts';
import * as programs from './migrations/20261123T020000-programs.ts';
import * as programTokens from './migrations/20261123T021000-program-tokens.ts';
import * as pushPrograms from './migrations/20261123T030000-push-programs.ts';
import * as deadLettersOfPrograms from './migrations/20261123T030100-dead-letters-of-programs.ts';
import * as programFilters from './migrations/20261123T033000-program-filters.ts';
import * as signingSecrets from './migrations/20261123T040000-signing-secrets.ts';
import * as makersOfProgramTokens from './migrations/20261123T041000-makers-of-program-tokens.ts';
import * as programsOfMessages from './migrations/20261123T050000-programs-of-messages.ts';
import * as tokensOfWebhooks from './migrations/20261123T060000-tokens-of-webhooks.ts';
import * as makersOfBackends from './migrations/20261123T070000-makers-of-backends.ts';
import * as rolesOfBackends from './migrations/20261123T150000-roles-of-backends.ts';
import * as kindsOfWebhooks from './migrations/20261124T060000-kinds-of-webhooks.ts';
import * as takenDeadLetters from './migrations/20261124T060000-taken-dead-letters.ts';
import * as waitingOfHours from './migrations/20261124T060000-waiting-of-hours.ts';
import * as cursorChanges from './migrations/20261126T020000-cursor-changes.ts';
import * as accountsBehindProgramTokens from './migrations/20261127T000000-accounts-behind-program-tokens.ts';
import * as movedGroups from './migrations/20261127T010000-moved-groups.ts';
import * as namedKinds from './migrations/20261127T010000-named-kinds.ts';
import * as movedGroupsIndex from './migrations/20261127T010100-moved-groups-index.ts';
import * as pinnedBackends from './migrations/20261127T020000-pinned-backends.ts';
import type { SchemaStep } from './schema-step.ts';

/** Every migration by name, in order. A merged one is never edited: expand first, contract in a later one. */
export const migrations: Record<string, SchemaStep> = {
  '20261120T120000-foundation': foundation,
  '20261120T140000-routing': routing,
  '20261121T190000-chat-authors': chatAuthors,
  '20261122T130000-reasons-of-dead-letters': reasonsOfDeadLetters,
  '20261122T140000-key-parents': keyParents,
  '20261122T140100-key-parents-index': keyParentsIndex,
  '20261122T150000-sealed-backend-urls': sealedBackendUrls,
  '20261122T151000-username-keys': usernameKeys,
  '20261122T151100-username-keys-index': usernameKeysIndex,
  '20261122T160000-audit-of-the-fleet': auditOfTheFleet,
  '20261122T160100-audit-by-bot': auditByBot,
  '20261122T160200-audit-by-actor': auditByActor,
  '20261122T160300-audit-by-action': auditByAction,
  '20261122T170000-reserved-update-ids': reservedUpdateIds,
  '20261122T180000-messages-by-author-index': messagesByAuthor,
  '20261122T180100-messages-by-media-index': messagesByMedia,
  '20261122T180200-deleted-messages-index': deletedMessages,
  '20261122T180300-chats-by-type-index': chatsByType,
  '20261122T190000-message-services': messageServices,
  '20261122T200000-activity-hours': activityHours,
  '20261122T230000-message-details': messageDetails,
  '20261122T233000-dead-letters-in-order': deadLettersInOrder,
  '20261122T233100-delivery-jobs': deliveryJobs,
  '20261122T234000-recent-chats': recentChats,
  '20261122T234100-recent-chats-index': recentChatsIndex,
  '20261122T234200-recent-chats-of-bot-index': recentChatsOfBotIndex,
  '20261122T235000-excerpts-of-dead-letters': excerptsOfDeadLetters,
  '20261123T020000-programs': programs,
  '20261123T021000-program-tokens': programTokens,
  '20261123T030000-push-programs': pushPrograms,
  '20261123T030100-dead-letters-of-programs': deadLettersOfPrograms,
  '20261123T033000-program-filters': programFilters,
  '20261123T040000-signing-secrets': signingSecrets,
  '20261123T041000-makers-of-program-tokens': makersOfProgramTokens,
  '20261123T050000-programs-of-messages': programsOfMessages,
  '20261123T060000-tokens-of-webhooks': tokensOfWebhooks,
  '20261123T070000-makers-of-backends': makersOfBackends,
  '20261123T150000-roles-of-backends': rolesOfBackends,
  '20261124T060000-kinds-of-webhooks': kindsOfWebhooks,
  '20261124T060000-taken-dead-letters': takenDeadLetters,
  '20261124T060000-waiting-of-hours': waitingOfHours,
  '20261126T020000-cursor-changes': cursorChanges,
  '20261127T000000-accounts-behind-program-tokens': accountsBehindProgramTokens,
  '20261127T010000-moved-groups': movedGroups,
  '20261127T010000-named-kinds': namedKinds,
  '20261127T010100-moved-groups-index': movedGroupsIndex,
  '20261127T020000-pinned-backends': pinnedBackends,
};
