import type { Words } from '../words/en.ts';

type Refusal = keyof Words['errors']['platform'];

/** The meaning of the platform's texts; the Bot API has no codes for them. */
const TEXTS: readonly (readonly [RegExp, Refusal])[] = [
  [/blocked by the user/i, 'blocked'],
  [/user is deactivated/i, 'deactivated'],
  [/bot was kicked|not a member of the/i, 'kicked'],
  [/can't (remove|restrict|demote)[\w ]* owner|owner/i, 'owner'],
  [/user is an administrator/i, 'administrator'],
  [
    /not enough rights|CHAT_ADMIN_REQUIRED|need(s)? administrator rights|have no rights|RIGHT_FORBIDDEN|CHAT_WRITE_FORBIDDEN/i,
    'rights',
  ],
  [/USER_NOT_PARTICIPANT|PARTICIPANT_ID_INVALID|user not found|USER_ID_INVALID/i, 'absent'],
  [/can't (restrict|remove|promote) self/i, 'self'],
  [/chat not found|PEER_ID_INVALID/i, 'chat'],
  [/supergroup|method is available/i, 'kind'],
];

/** Why the platform refused, in the words of the person; null for a text that is not known. */
export function platformRefusalOf(text: string, { errors }: Words): string | null {
  const known = TEXTS.find(([form]) => form.test(text));
  return known === undefined ? null : errors.platform[known[1]];
}
