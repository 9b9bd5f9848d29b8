import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { useDeskWords } from './desk-words.ts';
import { useReplies } from './use-replies.ts';

/** Connects a text field with the list above it, which gets its keys first and tells it what is chosen. */
export type FieldHelper = {
  /** True: the key is for the list. */
  keys: (event: KeyboardEvent) => boolean;
  aria: { 'aria-autocomplete'?: 'list'; 'aria-controls'?: string; 'aria-activedescendant'?: string };
};

type PickerProps = { bot_id: number; text: string; pick: (reply: ReplyResource) => void; manage: () => void };

const SHOWN = 8;

/** A message that begins with / opens the list of saved replies; what follows is looked for in them. */
export function useReplyPicker({ bot_id, text, pick, manage }: PickerProps): FieldHelper & { list: ReactNode } {
  const words = useDeskWords();
  const id = useId();
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const isAsked = /^\/[^\n]{0,64}$/.test(text) && text !== closedFor;
  const replies = useReplies(bot_id, isAsked);
  const sought = text.slice(1).trim().toLowerCase();
  const holds = ({ name, text: said }: ReplyResource) => `${name}\n${said}`.toLowerCase().includes(sought);
  const found = (isAsked && replies?.filter(holds).slice(0, SHOWN)) || [];
  const isOpen = isAsked && replies !== undefined;
  const chosen = Math.min(at, found.length - 1);
  const keys = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return false;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined && found.length > 0) setAt((chosen + move + found.length) % found.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && found[chosen] !== undefined) pick(found[chosen]);
    else if (event.key === 'Escape') setClosedFor(text);
    else return false;
    event.preventDefault();
    return true;
  };
  const optionId = (index: number) => `${id}-${index}`;
  const list = isOpen && (
    <div>
      {found.length > 0 && (
        <div id={id} className="reply-list" role="listbox" tabIndex={-1} aria-label={words.replies}>
          {found.map((reply, index) => (
            <div
              key={reply.id}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onPointerMove={() => setAt(index)}
              onPointerDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                pick(reply);
              }}
            >
              <bdi className="cut">
                <b>{reply.name}</b>
              </bdi>
              <bdi className="muted cut">{reply.text}</bdi>
            </div>
          ))}
        </div>
      )}
      <div className="reply-help">
        <span className="muted" role="status">
          {found.length === 0 && (replies?.length === 0 ? words.noReplies : words.noMatch)}
        </span>
        <Button kind="quiet" onClick={manage}>
          {words.manage}
        </Button>
      </div>
    </div>
  );
  const aria =
    isOpen && found.length > 0
      ? { 'aria-autocomplete': 'list' as const, 'aria-controls': id, 'aria-activedescendant': optionId(chosen) }
      : {};
  return { keys, aria, list };
}
