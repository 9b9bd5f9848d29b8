import { listAuditEntries } from '../../operations/audit.ts';
import { documentOperation } from '../document-operation.ts';
import { CHAT_ID } from './resource-examples.ts';

export const auditDocumentation = [
  documentOperation(listAuditEntries, {
    description: `With \`chat_id\` the entries of that chat. Without it, for admins only, everything: with \`bot_id\` what was
done to that bot and by it, also when the bot is deleted since; without both the whole fleet, which a key that is limited
to some bots does not see. Filters go together. Whoever has the bot may read what was done in its chats; addresses and
keys are shown to admins.

Every change leaves an entry, and one that cannot be written refuses the change with 503. What was refused leaves none,
except sign-ins that fail until the limit is reached.`,
    example: {
      input: { bot_id: 7, chat_id: CHAT_ID, action: 'ban', actor: 'admin', from: 1767312000 },
      output: [
        {
          id: 90,
          chat_id: CHAT_ID,
          bot_id: 7,
          action: 'ban',
          actor_kind: 'key',
          actor_id: 1,
          actor_username: 'admin',
          actor_key_id: 12,
          address: '192.0.2.10',
          target_id: 424242,
          target_username: 'ada',
          details: '',
          date: 1767349000,
        },
      ],
    },
  }),
];
