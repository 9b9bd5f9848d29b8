import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { methodsNamed } from '@flotilla/telegram/method-groups.ts';
import type { Program } from './program.ts';
import type { ProgramToken, WantedToken } from './program-token.ts';

/** A token as far as its polls go. */
type Poller = Pick<WantedToken, 'name' | 'methods' | 'chats' | 'expiresAt'>;

const NOT_POLLING = 'leave getUpdates (the group read) out of its methods';

/**
 * A poll confirms what it passes over for the whole program. So throws 'bad_request' for a new token whose polls would
 * pass over what another token of the program waits for, or what an exclusive program took from everybody else.
 */
export function refuseLosingToken(program: Program, wanted: Poller, others: ProgramToken[], nowMs: number): void {
  if (program.mode === 'push' || !polls(wanted, nowMs)) return;
  const rival = others.find((other) => polls(other, nowMs) && !isSame(other.chats, wanted.chats));
  if (rival !== undefined) {
    throw refusedInput(
      'chats',
      `must be those of the token "${rival.name}", which polls the same program: what one of them reads is confirmed for both, also in chats that it does not see. Name the same chats, ${NOT_POLLING}, or add a program for it`,
    );
  }
  if (takesMore(program, wanted)) {
    throw refusedInput(
      'chats',
      `must have every chat of which the program takes updates alone, because a poll confirms also those that the token does not see. Limit the filter of the program to these chats (filter.chat_ids), or ${NOT_POLLING}`,
    );
  }
}

/** The same for a changed program and its tokens. What was so before does not hinder other changes. */
export function refuseLosingChange(before: Program, changed: Program, tokens: ProgramToken[], nowMs: number): void {
  const pulls = before.mode === 'push' && changed.mode === 'pull';
  const takes = changed.exclusive && !before.exclusive;
  const filters = JSON.stringify(changed.filter) !== JSON.stringify(before.filter);
  if (changed.mode === 'push' || !(pulls || takes || filters)) return;
  const pollers = tokens.filter((token) => polls(token, nowMs));
  const rival = pulls ? pollers.find((one) => !isSame(one.chats, pollers[0]!.chats)) : undefined;
  if (rival !== undefined) {
    throw refusedInput(
      'mode',
      `cannot be pull: its tokens "${pollers[0]!.name}" and "${rival.name}" would poll different chats, and what one of them reads is confirmed for both. Revoke one of them first`,
    );
  }
  const blind = pollers.find((token) => takesMore(changed, token));
  if (blind === undefined) return;
  throw refusedInput(
    pulls ? 'mode' : takes ? 'exclusive' : 'filter.chat_ids',
    `would make the program take updates that its token "${blind.name}" confirms without seeing them. Limit filter.chat_ids to the chats of this token, or revoke it first`,
  );
}

function polls({ methods, expiresAt }: Poller, nowMs: number): boolean {
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return false;
  return methods === null || methodsNamed(methods).has('getupdates');
}

/** An update without a chat is in none of the chats of a filter, so it is not taken. */
function takesMore({ exclusive, filter }: Program, { chats }: Poller): boolean {
  if (!exclusive || chats === null) return false;
  return filter.chat_ids === undefined || !filter.chat_ids.every((chat) => chats.includes(chat));
}

function isSame(left: number[] | null, right: number[] | null): boolean {
  if (left === null || right === null) return left === right;
  return left.every((chat) => right.includes(chat)) && right.every((chat) => left.includes(chat));
}
