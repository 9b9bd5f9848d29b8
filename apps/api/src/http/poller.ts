import type { IncomingMessage } from 'node:http';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';

const NAME_LENGTH = 80;

/** Who polls, for people: its account, its program as that names itself, and its address. */
export function pollerOf(by: Actor, { headers }: Pick<IncomingMessage, 'headers'>): string {
  const account = by.kind === 'account' ? by.username : '';
  const program = (headers['user-agent'] ?? '').slice(0, NAME_LENGTH);
  return [account, program, by.address ?? ''].filter((part) => part !== '').join(', ');
}
