import { listAuditEntries } from '../../operations/audit.ts';
import { documentOperation } from '../document-operation.ts';
import { CHAT_ID } from './resource-examples.ts';

export const auditDocumentation = [
  documentOperation(listAuditEntries, {
    example: {
      input: { bot_id: 7, chat_id: CHAT_ID, action: 'ban' },
      output: [
        {
          id: 90,
          chat_id: CHAT_ID,
          bot_id: 7,
          action: 'ban',
          actor_kind: 'account',
          actor_id: 1,
          actor_username: 'admin',
          target_id: 424242,
          target_username: 'ada',
          details: '',
          date: 1767349000,
        },
      ],
    },
  }),
];
