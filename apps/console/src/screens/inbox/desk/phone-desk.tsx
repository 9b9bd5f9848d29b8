import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { ReactNode } from 'react';
import { Button } from '../../../parts/button.tsx';
import { ChoiceDialog } from '../../../parts/choice-dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { MenuGroup, MenuItem, MenuLine } from '../../../parts/menu.tsx';
import { Until } from '../../../parts/time.tsx';
import { useSession } from '../../../session.tsx';
import { HeldBy, MINUTES, useAssigneeOptions, useHolderName } from './desk-bar.tsx';
import { useDeskWords } from './desk-words.ts';
import type { Desk } from './use-desk.ts';

type PartProps = { chat: ChatResource; desk: Desk };

/** On a phone, what the bar of the desk says, in one line. */
export function DeskState({ chat }: { chat: ChatResource }): ReactNode {
  const words = useDeskWords();
  const { held_until: until, held_by: by = '', assigned_to_name: assignee, state } = chat;
  const holder = useHolderName(by);
  if (until !== undefined) {
    return (
      <>
        <bdi className="cut">{holder}</bdi>
        <span className="desk-until" aria-live="off">
          · {words.botBack} <Until at={until} />
        </span>
      </>
    );
  }
  if (state === 'done') return <span className="cut">{words.isDone}</span>;
  if (assignee !== undefined) return <span className="cut">{words.assigned(assignee)}</span>;
  return null;
}

/** Finishes the chat, or opens it again. */
export function ResolveButton({ chat, desk }: PartProps): ReactNode {
  const words = useDeskWords();
  const isDone = chat.state === 'done';
  const label = isDone ? words.reopen : words.done;
  return (
    <Button
      kind="quiet"
      className={isDone ? 'icon-only desk-resolve is-done' : 'icon-only desk-resolve'}
      aria-label={label}
      title={label}
      onClick={() => desk.close(!isDone)}
    >
      <Icon name="check" />
    </Button>
  );
}

/** The acts of the desk's bar, as items of a menu. */
export function DeskItems({ chat, desk, askAssignee }: PartProps & { askAssignee: () => void }): ReactNode {
  const words = useDeskWords();
  const { account } = useSession();
  const { held_until: until, held_by: by = '', missed = 0, assigned_to: assigned } = chat;
  const isHeld = until !== undefined;
  return (
    <>
      {isHeld && (
        <p className="menu-note">
          <HeldBy by={by} until={until} />
        </p>
      )}
      {isHeld && missed === 0 && <MenuItem onClick={() => desk.release(false)}>{words.giveBack}</MenuItem>}
      {missed > 0 && (
        <MenuGroup label={isHeld ? words.giveBack : words.botMissed}>
          <MenuItem onClick={() => desk.release(true)}>{isHeld ? words.deliver(missed) : words.bring(missed)}</MenuItem>
          <MenuItem onClick={() => desk.release(false)}>{isHeld ? words.withoutMissed : words.forget}</MenuItem>
        </MenuGroup>
      )}
      <MenuGroup label={isHeld ? words.longer : words.takeOver}>
        {MINUTES.map((minutes) => (
          <MenuItem key={minutes} onClick={() => desk.takeOver(minutes)}>
            {words.times[minutes]}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuLine />
      {assigned !== account.id && (
        <MenuItem onClick={() => desk.assign(account.id, assigned ?? null)}>{words.assignToMe}</MenuItem>
      )}
      <MenuItem onClick={askAssignee}>{words.assignTo}</MenuItem>
    </>
  );
}

export function AskAssignee({ chat, desk, close }: PartProps & { close: () => void }): ReactNode {
  const words = useDeskWords();
  const { assigned_to: assigned = null } = chat;
  return (
    <ChoiceDialog
      title={words.assign}
      options={useAssigneeOptions(chat.bot_id)}
      value={assigned === null ? '' : String(assigned)}
      choose={(value) => desk.assign(value === '' ? null : Number(value), assigned)}
      close={close}
    />
  );
}
