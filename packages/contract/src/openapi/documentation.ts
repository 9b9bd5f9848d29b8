import type { Documentation } from './document-operation.ts';
import { accountsDocumentation } from './documentation/accounts.ts';
import { auditDocumentation } from './documentation/audit.ts';
import { authDocumentation } from './documentation/auth.ts';
import { botsDocumentation } from './documentation/bots.ts';
import { chatAdminsDocumentation } from './documentation/chat-admins.ts';
import { chatUsersDocumentation } from './documentation/chat-users.ts';
import { chatsDocumentation } from './documentation/chats.ts';
import { deliveriesDocumentation } from './documentation/deliveries.ts';
import { filesDocumentation } from './documentation/files.ts';
import { messagesDocumentation } from './documentation/messages.ts';
import { routingRulesDocumentation } from './documentation/routing-rules.ts';
import { statsDocumentation } from './documentation/stats.ts';
import { tagsDocumentation } from './documentation/tags.ts';
import { updatesDocumentation } from './documentation/updates.ts';

/** What the document says of each operation: its example, the errors of its own, and what its summary leaves out. */
export const documentation: readonly Documentation[] = [
  ...authDocumentation,
  ...accountsDocumentation,
  ...botsDocumentation,
  ...chatsDocumentation,
  ...messagesDocumentation,
  ...filesDocumentation,
  ...chatUsersDocumentation,
  ...chatAdminsDocumentation,
  ...tagsDocumentation,
  ...routingRulesDocumentation,
  ...auditDocumentation,
  ...statsDocumentation,
  ...updatesDocumentation,
  ...deliveriesDocumentation,
];
