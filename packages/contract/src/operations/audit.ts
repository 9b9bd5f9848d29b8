import { z } from 'zod';
import { chatId, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { pagedInputs } from '../paging.ts';
import { auditEntryResource } from '../resources/audit-entry.ts';

export const listAuditEntries = defineOperation({
  name: 'listAuditEntries',
  method: 'GET',
  paths: ['/api/adminlog'],
  role: 'any',
  summary: 'What was done in a chat, by accounts and by the bot itself, newest first.',
  input: z.object({
    bot_id: ownId().optional(),
    chat_id: chatId(),
    action: text({ min: 1, max: 64 }).optional(),
    ...pagedInputs({ default: 50, max: 200 }),
  }),
  output: z.array(auditEntryResource),
  botInputs: ['bot_id'],
});
