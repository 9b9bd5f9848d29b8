import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { methodsNamed } from '@flotilla/telegram/method-groups.ts';
import type { Program } from './program.ts';
import type { ProgramToken, WantedToken } from './program-token.ts';
import { staysWithin } from './webhook-token.ts';

/** A token as far as its polls go. */
type Poller = Pick<WantedToken, 'name' | 'methods' | 'chats' | 'threads' | 'expires_at'>;

const NOT_POLLING = 'leave getUpdates (the group read) out of its methods';

/**
 * A poll confirms what it passes over for the whole program. So throws 'bad_request' for a new token whose polls would
 * pass over what another token of the program waits for, or what an exclusive program took from everybody else.
 */
export function refuseLosingToken(program: Program, wanted: Poller, others: ProgramToken[], nowMs: number): void {
  if (program.mode === 'push' || !polls(wanted, nowMs)) return;
  const rival = others.find((other) => polls(other, nowMs) && !seesTheSame(other, wanted));
  if (rival !== undefined) {
    const inTopics = isSame(rival.chats, wanted.chats);
    throw refusedInput(
      inTopics ? 'threads' : 'chats',
      `must be those of the token "${rival.name}", which polls the same program: what one of them reads is confirmed for both, also in ${inTopics ? 'topics' : 'chats'} that it does not see. Name the same ${inTopics ? 'topics' : 'chats'}, ${NOT_POLLING}, or add a program for it`,
    );
  }
  if (takesMore(program, wanted)) {
    if (takesMoreTopics(program, wanted)) {
      throw refusedInput(
        'threads',
        `must have every topic of which the program takes updates alone, because a poll confirms also those that the token does not see. Limit the filter of the program to these topics (filter.thread_ids), or ${NOT_POLLING}`,
      );
    }
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
  const filters =
    JSON.stringify(changed.filter) !== JSON.stringify(before.filter) || changed.chats_revision > before.chats_revision;
  if (changed.mode === 'push' || !(pulls || takes || filters)) return;
  const pollers = tokens.filter((token) => polls(token, nowMs));
  const rival = pulls ? pollers.find((one) => !seesTheSame(one, pollers[0]!)) : undefined;
  if (rival !== undefined) {
    throw refusedInput(
      'mode',
      `cannot be pull: its tokens "${pollers[0]!.name}" and "${rival.name}" would poll different chats or topics, and what one of them reads is confirmed for both. Revoke one of them first`,
    );
  }
  const blind = pollers.find((token) => takesMore(changed, token));
  if (blind === undefined) return;
  const [list, places] = takesMoreTopics(changed, blind) ? ['thread_ids', 'topics'] : ['chat_ids', 'chats'];
  throw refusedInput(
    pulls ? 'mode' : takes ? 'exclusive' : `filter.${list}`,
    `would make the program take updates that its token "${blind.name}" confirms without seeing them. Limit filter.${list} to the ${places} of this token, or revoke it first`,
  );
}

function polls({ methods, expires_at }: Poller, nowMs: number): boolean {
  if (expires_at !== null && expires_at.getTime() <= nowMs) return false;
  return methods === null || methodsNamed(methods).has('getupdates');
}

function takesMore(program: Program, token: Poller): boolean {
  return program.exclusive && !staysWithin(program, token);
}

/** True if the chats of what a program takes are those of the token, and only its topics are not. */
function takesMoreTopics(program: Program, { chats }: Poller): boolean {
  return staysWithin(program, { chats, threads: null });
}

function seesTheSame(left: Poller, right: Poller): boolean {
  return isSame(left.chats, right.chats) && isSame(left.threads, right.threads);
}

function isSame(left: number[] | null, right: number[] | null): boolean {
  if (left === null || right === null) return left === right;
  return left.every((chat) => right.includes(chat)) && right.every((chat) => left.includes(chat));
}
