import { z } from 'zod';
import { NOTE, note } from './notes.ts';

/** Acts of people in a chat, beside writing in it. */
export const DESK_ACTIONS = ['chat_takeover', 'chat_release', 'chat_assign', 'chat_done', 'chat_reopen'] as const;

/** The newest of a chat that are shown with it. */
export const DESK_LOG_ENTRIES = 100;

/** Something that stands beside the messages of a chat: an act of somebody, or a note. */
export const deskEntry = z
  .strictObject({
    date: z.int().describe('Unix seconds.'),
    note: note.answer.describe('A note. Absent: an act.').optional(),
    action: z.enum(DESK_ACTIONS).describe('What was done, as in the audit log.').optional(),
    account: z.string().describe('The username of the account that did it. Absent: none did.').optional(),
    target: z.string().describe('Of `chat_assign`: the username of the account that got the chat.').optional(),
    details: z.string().describe('As in the audit log.').optional(),
  })
  .meta({ id: 'DeskEntry' });

export type DeskEntryResource = z.infer<typeof deskEntry>;

export const DESK_LOG: DeskEntryResource[] = [
  { date: 1767349300, note: NOTE },
  { date: 1767349200, action: 'chat_takeover', account: 'ada', details: 'for 30 min' },
];
