import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from 'react';
import type { FieldHelper } from '../desk/use-reply-picker.tsx';
import { useNotesWords } from './notes-words.ts';
import { useAssignees } from './use-notes.ts';

type PickerProps = {
  bot_id: number;
  text: string;
  field: RefObject<HTMLTextAreaElement | null>;
  change: (text: string) => void;
};

const SHOWN = 6;

/** An @ in a note opens the list of colleagues; whom the text names is mentioned. */
export function useMentionPicker({ bot_id, text, field, change }: PickerProps): FieldHelper & {
  list: ReactNode;
  mentionsIn: (said: string) => number[];
} {
  const words = useNotesWords();
  const id = useId();
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const before = text.slice(0, field.current?.selectionStart ?? text.length);
  const [, typed] = /(?:^|\s)@([\p{L}\p{N}_.-]{0,64})$/u.exec(before) ?? [];
  const isAsked = typed !== undefined && text !== closedFor;
  const { data: colleagues = [] } = useAssignees(bot_id, text.includes('@'));
  const sought = (typed ?? '').toLowerCase();
  const isSought = (one: { username: string; display_name: string }) =>
    `${one.username}\n${one.display_name}`.toLowerCase().includes(sought);
  const found = isAsked ? colleagues.filter(isSought).slice(0, SHOWN) : [];
  const chosen = Math.min(at, found.length - 1);
  const pick = (username: string) => {
    const begin = before.length - (typed?.length ?? 0);
    change(`${text.slice(0, begin)}${username} ${text.slice(before.length)}`);
    field.current?.focus();
  };
  const keys = (event: KeyboardEvent): boolean => {
    if (found.length === 0 || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return false;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) setAt((chosen + move + found.length) % found.length);
    else if (event.key === 'Enter' || event.key === 'Tab') pick(found[chosen]!.username);
    else if (event.key === 'Escape') setClosedFor(text);
    else return false;
    event.preventDefault();
    return true;
  };
  const list = found.length > 0 && (
    <div id={id} className="reply-list" role="listbox" tabIndex={-1} aria-label={words.mentionList}>
      {found.map(({ id: account, username, display_name: name }, index) => (
        <div
          key={account}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onPointerMove={() => setAt(index)}
          onPointerDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            pick(username);
          }}
        >
          <bdi className="cut">{name || username}</bdi>
          <bdi className="muted cut">@{username}</bdi>
        </div>
      ))}
    </div>
  );
  const aria =
    found.length > 0
      ? { 'aria-autocomplete': 'list' as const, 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` }
      : {};
  const mentionsIn = (said: string) => {
    const named = new Set([...said.matchAll(/(?:^|\s)@([^\s@,;:!?]+)/g)].map(([, name = '']) => name.toLowerCase()));
    return colleagues.filter(({ username }) => named.has(username.toLowerCase())).map(({ id: account }) => account);
  };
  return { keys, aria, list, mentionsIn };
}
