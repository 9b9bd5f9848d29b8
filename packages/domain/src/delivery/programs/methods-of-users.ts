import type { Role } from '@flotilla/contract/accounts.ts';
import type { MethodGroup } from '@flotilla/contract/bot-api/methods.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { groupOfMethod, isGrant } from '@flotilla/telegram/method-groups.ts';

/** Acts of accounts of the role user by REST: they act in chats. The bot itself and its money are the admins'. */
const GROUPS_OF_USERS = ['read', 'send', 'edit', 'moderate', 'files'] as const satisfies MethodGroup[];
/** They concern the program alone. */
const OF_PROGRAM = ['setWebhook', 'deleteWebhook', 'logOut', 'close'] as const;
const MOST_OF_USERS = [...GROUPS_OF_USERS, ...OF_PROGRAM.slice(0, 2)];
const GRANTED_BY_USERS: ReadonlySet<string> = new Set([...GROUPS_OF_USERS, ...OF_PROGRAM].map(lower));

/** The methods that a new token gets; null: every one. Throws 'forbidden' for more than its creator may give. */
export function grantedMethods(role: Role, wanted: string[] | null): string[] | null {
  if (role === 'admin') return wanted;
  if (wanted === null) return MOST_OF_USERS;
  const beyond = wanted.filter((name) => isGrant(name) && !isGrantedByUsers(lower(name)));
  if (beyond.length === 0) return wanted;
  throw new FlotillaError('forbidden', `Admin role required to allow a token ${beyond.join(', ')}`);
}

/** True if a user may allow a method or a group. One that we do not know is not allowed. */
export function isGrantedByUsers(lowerCaseName: string): boolean {
  const group = groupOfMethod(lowerCaseName);
  return GRANTED_BY_USERS.has(lowerCaseName) || (group !== undefined && GRANTED_BY_USERS.has(group));
}

function lower(name: string): string {
  return name.toLowerCase();
}
