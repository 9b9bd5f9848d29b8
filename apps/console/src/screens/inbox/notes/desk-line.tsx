import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import type { ReactNode } from 'react';
import { useSession } from '../../../session.tsx';
import { useMessageTimes } from '../chat/times.ts';
import { useNotesWords } from './notes-words.ts';

/** An act of somebody on the chat, as a thin line among its messages. */
export function DeskLine({ entry }: { entry: DeskEntryResource }): ReactNode {
  const { timeOf } = useMessageTimes();
  return (
    <p className="event">
      <bdi>{useSaid(entry)}</bdi> <small>{timeOf(entry.date)}</small>
    </p>
  );
}

function useSaid({ action = 'chat_done', account, target, details = '' }: DeskEntryResource): string {
  const words = useNotesWords();
  const { account: own } = useSession();
  const [, rule] = /; by rule (\d+)/.exec(details) ?? [];
  const named = (username: string) => (username === own.username ? words.you : `\u2068${username}\u2069`);
  const who = account !== undefined ? named(account) : rule !== undefined ? words.aRule(rule) : words.theOwner;
  if (action !== 'chat_assign') return words.acts[action](who);
  if (target === undefined) return words.unassigned(who);
  return target === account ? words.tookIt(who) : words.assigned(who, named(target));
}
