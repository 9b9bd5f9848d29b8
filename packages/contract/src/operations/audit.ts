import { z } from 'zod';
import { chatId, moment, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { pagedInputs } from '../paging.ts';
import { AUDIT_ACTIONS } from '../resources/audit-action.ts';
import { auditEntryResource } from '../resources/audit-entry.ts';

export const listAuditEntries = defineOperation({
  name: 'listAuditEntries',
  method: 'GET',
  paths: ['/api/adminlog'],
  role: 'any',
  summary: 'Who did what, newest first: in one chat, or to an admin in the whole fleet.',
  input: z.object({
    bot_id: ownId().optional(),
    chat_id: chatId().optional(),
    action: z.enum(AUDIT_ACTIONS).optional().describe('What was done; AuditAction says what each one means.'),
    actor: text({ min: 1, max: 64 }).optional().describe('The username of an account, or its id.'),
    from: moment().optional().describe('Not before: Unix seconds, or ISO 8601 with a zone.'),
    to: moment().optional().describe('Before, in the same forms.'),
    ...pagedInputs({ default: 50, max: 200 }),
  }),
  output: z.array(auditEntryResource),
  botInputs: ['bot_id'],
});
