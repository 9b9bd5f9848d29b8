import * as tables from './migrations/20261127T000000-tables.ts';
import * as firstExpiry from './migrations/20261128T010000-first-expiry.ts';
import * as heldSends from './migrations/20261128T020000-held-sends.ts';
import * as outboxLists from './migrations/20261128T020100-outbox-lists.ts';
import * as automaticMessages from './migrations/20261128T040000-automatic-messages.ts';
import * as businessChats from './migrations/20261128T050000-business-chats.ts';
import * as chatsUnsettled from './migrations/20261128T050100-chats-unsettled.ts';
import * as deadLetterChats from './migrations/20261128T070000-dead-letter-chats.ts';
import * as deadLetterChatsIndex from './migrations/20261128T070001-dead-letter-chats-index.ts';
import * as broadcastCounts from './migrations/20261129T010000-broadcast-counts.ts';
import * as outboxRanges from './migrations/20261129T010100-outbox-ranges.ts';
import * as connectionsOfEntries from './migrations/20261129T020000-business-connections-of-entries.ts';
import * as requestsOfEvents from './migrations/20261129T020100-requests-of-events.ts';
import * as messagePositions from './migrations/20261129T030000-message-positions.ts';
import * as installation from './migrations/20261129T040000-installation.ts';
import * as removals from './migrations/20261129T040100-removals.ts';
import * as formerInstallation from './migrations/20261129T040200-former-installation.ts';
import * as erasures from './migrations/20261129T050000-erasures.ts';
import * as chatAuthorsUser from './migrations/20261129T050001-chat-authors-user.ts';
import * as maintenance from './migrations/20261129T050002-maintenance.ts';
import * as lastRemovals from './migrations/20261129T050200-last-removals.ts';
import * as auditSinks from './migrations/20261129T090000-audit-sinks.ts';
import * as removedSinks from './migrations/20261129T090001-removed-sinks.ts';
import * as requestsOfAudit from './migrations/20261130T010000-requests-of-audit.ts';
import * as notes from './migrations/20261130T020000-notes.ts';
import * as chatViews from './migrations/20261130T020100-chat-views.ts';
import * as requestsOfQuestions from './migrations/20261130T020200-requests-of-questions.ts';
import * as audiences from './migrations/20261130T040000-audiences.ts';
import * as outcomesOfRedrives from './migrations/20261130T050000-outcomes-of-redrives.ts';
import * as botLabels from './migrations/20261130T060000-bot-labels.ts';
import * as oidcAccounts from './migrations/20261130T060100-oidc-accounts.ts';
import * as oidcAccountsIndex from './migrations/20261130T060101-oidc-accounts-index.ts';
import * as secondFactors from './migrations/20261130T060200-second-factors.ts';
import * as boundChats from './migrations/20261130T070000-bound-chats.ts';
import * as upstreams from './migrations/20261130T080100-upstreams.ts';
import * as upstreamsOfSettings from './migrations/20261201T010000-upstreams-of-settings.ts';
import * as botMoves from './migrations/20261201T020000-bot-moves.ts';
import * as managedBots from './migrations/20261201T030000-managed-bots.ts';
import * as rightsByLabel from './migrations/20261201T040000-rights-by-label.ts';
import * as passkeys from './migrations/20261201T040100-passkeys.ts';
import * as notesWords from './migrations/20261201T050000-notes-words.ts';
import * as rulesOfLinks from './migrations/20261201T060000-rules-of-links.ts';
import * as knownMoves from './migrations/20261201T100000-known-moves.ts';
import * as savedViews from './migrations/20261203T040000-saved-views.ts';
import type { SchemaStep } from './schema-step.ts';

/** Every migration by name, in order. A merged one is never edited: expand first, contract in a later one. */
export const migrations: Record<string, SchemaStep> = {
  '20261127T000000-tables': tables,
  '20261128T010000-first-expiry': firstExpiry,
  '20261128T020000-held-sends': heldSends,
  '20261128T020100-outbox-lists': outboxLists,
  '20261128T040000-automatic-messages': automaticMessages,
  '20261128T050000-business-chats': businessChats,
  '20261128T050100-chats-unsettled': chatsUnsettled,
  '20261128T070000-dead-letter-chats': deadLetterChats,
  '20261128T070001-dead-letter-chats-index': deadLetterChatsIndex,
  '20261129T010000-broadcast-counts': broadcastCounts,
  '20261129T010100-outbox-ranges': outboxRanges,
  '20261129T020000-business-connections-of-entries': connectionsOfEntries,
  '20261129T020100-requests-of-events': requestsOfEvents,
  '20261129T030000-message-positions': messagePositions,
  '20261129T040000-installation': installation,
  '20261129T040100-removals': removals,
  '20261129T040200-former-installation': formerInstallation,
  '20261129T050000-erasures': erasures,
  '20261129T050001-chat-authors-user': chatAuthorsUser,
  '20261129T050002-maintenance': maintenance,
  '20261129T050200-last-removals': lastRemovals,
  '20261129T090000-audit-sinks': auditSinks,
  '20261129T090001-removed-sinks': removedSinks,
  '20261130T010000-requests-of-audit': requestsOfAudit,
  '20261130T020000-notes': notes,
  '20261130T020100-chat-views': chatViews,
  '20261130T020200-requests-of-questions': requestsOfQuestions,
  '20261130T040000-audiences': audiences,
  '20261130T050000-outcomes-of-redrives': outcomesOfRedrives,
  '20261130T060000-bot-labels': botLabels,
  '20261130T060100-oidc-accounts': oidcAccounts,
  '20261130T060101-oidc-accounts-index': oidcAccountsIndex,
  '20261130T060200-second-factors': secondFactors,
  '20261130T070000-bound-chats': boundChats,
  '20261130T080100-upstreams': upstreams,
  '20261201T010000-upstreams-of-settings': upstreamsOfSettings,
  '20261201T020000-bot-moves': botMoves,
  '20261201T030000-managed-bots': managedBots,
  '20261201T040000-rights-by-label': rightsByLabel,
  '20261201T040100-passkeys': passkeys,
  '20261201T050000-notes-words': notesWords,
  '20261201T060000-rules-of-links': rulesOfLinks,
  '20261201T100000-known-moves': knownMoves,
  '20261203T040000-saved-views': savedViews,
};
