import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { ReactNode } from 'react';
import { useShortcuts } from '../../../keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuChoice, MenuItem } from '../../../parts/menu.tsx';
import { Until } from '../../../parts/time.tsx';
import { useSession } from '../../../session.tsx';
import { useChat } from '../chat/use-chat.ts';
import type { ChatId } from '../chat/use-window.ts';
import { useNextChat } from '../chats/use-next-chat.ts';
import { useAssignees } from '../notes/use-notes.ts';
import { useDeskWords } from './desk-words.ts';
import { type Desk, useDesk } from './use-desk.ts';
import './desk.css';

export const MINUTES = [30, 60, 240, 1440] as const;

/** Who answers in a chat: the bot or a person, which account looks after it, and whether it is done. */
export function DeskBar({ chat }: { chat: ChatId }): ReactNode {
  const words = useDeskWords();
  const { known, desk, isOfDesk } = useDeskOf(chat);
  if (!isOfDesk) return null;
  return (
    <>
      <div
        className={`desk-bar ${known?.held_until ? 'held' : ''}`}
        role="group"
        aria-label={words.title}
        aria-busy={desk.isPending || undefined}
      >
        {known && <Holding chat={known} desk={desk} />}
        {known && <Assignee chat={known} desk={desk} />}
        {known && <Done chat={known} desk={desk} />}
      </div>
      {desk.error && <Failure error={desk.error} />}
    </>
  );
}

/** The desk of a chat, with its keys. */
export function useDeskOf(chat: ChatId) {
  const known = useChat(chat);
  const { account } = useSession();
  const openNext = useNextChat();
  const desk = useDesk(chat, openNext);
  useShortcuts({
    t: () => desk.takeOver(60),
    m: () => desk.assign(account.id, known?.assigned_to ?? null),
    e: () => desk.close(known?.state !== 'done'),
  });
  return { known, desk, isOfDesk: known?.type !== 'channel' && known?.migrated_to_chat_id === undefined };
}

type PartProps = { chat: ChatResource; desk: Desk };

function Holding({ chat, desk }: PartProps): ReactNode {
  const { held_until: until, held_by: by, missed = 0 } = chat;
  const words = useDeskWords();
  if (until === undefined) {
    const after = { face: words.botMissed, deliver: words.bring(missed), hint: words.bringHint, leave: words.forget };
    return (
      <>
        <TakeOver desk={desk} />
        {missed > 0 && <Missed {...after} missed={missed} desk={desk} />}
      </>
    );
  }
  return (
    <>
      <div className="desk-line">
        <p className="desk-held" role="status">
          <HeldBy by={by ?? ''} until={until} />
        </p>
        <TakeOver desk={desk} again />
      </div>
      <GiveBack missed={missed} desk={desk} />
    </>
  );
}

/** For how long; `again`: it begins anew. */
function TakeOver({ desk, again = false }: { desk: Desk; again?: boolean }): ReactNode {
  const words = useDeskWords();
  const label = again ? words.longer : words.takeOver;
  return (
    <Menu
      label={label}
      face={
        <>
          {again && <Icon name="later" />}
          <span className={again ? 'desk-longer' : ''}>{label}</span>
          <Icon name="down" />
        </>
      }
    >
      {MINUTES.map((minutes) => (
        <MenuItem key={minutes} onClick={() => desk.takeOver(minutes)}>
          {words.times[minutes]}
        </MenuItem>
      ))}
    </Menu>
  );
}

function GiveBack({ missed, desk }: { missed: number; desk: Desk }): ReactNode {
  const words = useDeskWords();
  if (missed === 0) return <Button onClick={() => desk.release(false)}>{words.giveBack}</Button>;
  const now = { deliver: words.deliver(missed), hint: words.deliverHint, leave: words.withoutMissed };
  return <Missed face={words.giveBack} {...now} missed={missed} desk={desk} />;
}

type MissedProps = { face: string; deliver: string; hint: string; leave: string; missed: number; desk: Desk };

/** With what the bot missed or without. */
function Missed({ face, deliver, hint, leave, missed, desk }: MissedProps): ReactNode {
  const words = useDeskWords();
  return (
    <Menu
      bordered
      face={
        <>
          {face}
          <span className="count" aria-hidden="true">
            {missed}
          </span>
          <span className="unseen">{words.missed(missed)}</span>
          <Icon name="down" />
        </>
      }
    >
      <MenuItem title={hint} onClick={() => desk.release(true)}>
        {deliver}
      </MenuItem>
      <MenuItem onClick={() => desk.release(false)}>{leave}</MenuItem>
    </Menu>
  );
}

export function HeldBy({ by, until }: { by: string; until: string }): ReactNode {
  const words = useDeskWords();
  return (
    <>
      <span className="cut">{useHolder(by)}</span>
      {/* Only the holder is announced, and not each minute. */}
      <span className="muted" aria-live="off">
        {' '}
        · {words.botBack} <Until at={until} />
      </span>
    </>
  );
}

export function useHolder(by: string): string {
  const words = useDeskWords();
  const { account } = useSession();
  const name = useHolderName(by);
  return by === `account:${account.username}` ? words.heldByYou : words.heldBy(name);
}

/** The same without a sentence. */
export function useHolderName(by: string): string {
  const words = useDeskWords();
  const { account } = useSession();
  if (by === `account:${account.username}`) return words.you;
  const [, kind = '', name = ''] = /^(\w+):(.*)$/.exec(by) ?? [];
  if (kind === 'account') return name;
  return kind === 'rule' ? words.byRule(name) : words.byOwner;
}

function Assignee({ chat, desk }: PartProps): ReactNode {
  const words = useDeskWords();
  const { assigned_to: id, assigned_to_name: name } = chat;
  const label = name === undefined ? words.assign : words.assigned(name);
  return (
    <Menu
      label={label}
      face={
        <>
          <Icon name="access" />
          <bdi className="assignee cut">{name ?? words.assign}</bdi>
        </>
      }
    >
      <Assignees bot_id={chat.bot_id} assigned={id ?? null} choose={(to) => desk.assign(to, id ?? null)} />
    </Menu>
  );
}

type AssigneesProps = { bot_id: number; assigned: number | null; choose: (accountId: number | null) => void };

function Assignees({ bot_id, assigned, choose }: AssigneesProps): ReactNode {
  const words = useDeskWords();
  return (
    <div className="assignees">
      <MenuChoice
        label={words.assign}
        options={useAssigneeOptions(bot_id)}
        value={assigned === null ? '' : String(assigned)}
        choose={(value) => choose(value === '' ? null : Number(value))}
      />
    </div>
  );
}

/** Nobody, and the accounts that have the bot; one's own comes first. */
export function useAssigneeOptions(botId: number): (readonly [string, string])[] {
  const words = useDeskWords();
  const { account } = useSession();
  const asked = useAssignees(botId);
  const listed = (asked.data ?? []).map(
    ({ id, username, display_name: shown }) => [String(id), shown || username] as const,
  );
  const own = listed.filter(([id]) => id === String(account.id));
  const others = listed.filter(([id]) => id !== String(account.id));
  return [['', words.nobody], ...own, ...others];
}

function Done({ chat, desk }: PartProps): ReactNode {
  const words = useDeskWords();
  if (chat.state === 'done') {
    return (
      <>
        <span className="desk-done muted">
          <Icon name="check" /> <span>{words.isDone}</span>
        </span>
        <Button kind="quiet" onClick={() => desk.close(false)}>
          {words.reopen}
        </Button>
      </>
    );
  }
  return (
    <Button kind="quiet" className="desk-done" title={words.doneHint} onClick={() => desk.close(true)}>
      <Icon name="check" />
      <span>{words.done}</span>
    </Button>
  );
}
