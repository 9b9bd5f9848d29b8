import type { NoteResource } from '@flotilla/contract/notes.ts';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { readDraft, writeDraft } from '../../../drafts.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { usePreferences } from '../../../preferences.tsx';
import { useSession } from '../../../session.tsx';
import { useWords } from '../../../words/words.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { NO_MARKUP } from '../compose/markup.ts';
import { useNotesWords } from './notes-words.ts';
import { useMentionPicker } from './use-mention-picker.tsx';
import { useNotes } from './use-notes.ts';
import './notes.css';

const MOST_ROWS = 8;

type FormProps = {
  chat: ChatId;
  /** The note that is changed; null: a new one. */
  note: NoteResource | null;
  leave: () => void;
};

/** Writes a note about a chat, or changes one. What is written is there again after a reload. */
export function NoteForm({ chat, note, leave }: FormProps): ReactNode {
  const common = useWords();
  const words = useNotesWords();
  const { enterSends } = usePreferences();
  const { text, change, forget } = useNoteText(chat, note);
  const field = useRef<HTMLTextAreaElement>(null);
  const { add, update, isPending, error } = useNotes(chat, () => {
    forget();
    leave();
  });
  const { keys: pickerKeys, aria, list, mentionsIn } = useMentionPicker({ bot_id: chat.bot_id, text, field, change });
  useEffect(() => field.current?.focus(), []);
  const canSave = text.trim() !== '' && !isPending;
  const save = () => {
    if (!canSave) return;
    const written = { text, mentions: mentionsIn(text) };
    if (note === null) add(written);
    else update(note.id, written);
  };
  const keys = (event: KeyboardEvent) => {
    if (pickerKeys(event) || event.nativeEvent.isComposing) return;
    const isSave = event.key === 'Enter' && (event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey));
    if (!isSave && event.key !== 'Escape') return;
    event.preventDefault();
    if (isSave) save();
    else leave();
  };
  return (
    <form
      className={note === null ? 'compose note-form' : 'note-form in-place'}
      aria-label={words.write}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {list}
      <textarea
        ref={field}
        aria-label={words.write}
        placeholder={words.hint}
        dir="auto"
        maxLength={4000}
        rows={Math.min(MOST_ROWS, text.split('\n').length)}
        value={text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={keys}
        {...aria}
      />
      {error && <Failure error={error} />}
      <div className="compose-tools">
        <span className="muted cut note-hint">{words.hint}</span>
        <Button kind="quiet" onClick={leave}>
          {common.cancel}
        </Button>
        <Button type="submit" kind="primary" busy={isPending} disabled={!canSave}>
          {note === null ? words.add : words.save}
        </Button>
      </div>
    </form>
  );
}

/** A new note is kept as a draft of the account. */
function useNoteText(chat: ChatId, note: NoteResource | null) {
  const { account } = useSession();
  const place = { ...chat, of: 'note' } as const;
  const [text, setText] = useState(() => note?.text ?? readDraft(account.id, place)?.text ?? '');
  const keep = (said: string) => {
    if (note !== null) return;
    const draft = { text: said, format: 'plain', markup: NO_MARKUP, atMs: Date.now() } as const;
    writeDraft(account.id, place, said === '' ? null : draft);
  };
  const change = (said: string) => {
    setText(said);
    keep(said);
  };
  return { text, change, forget: () => keep('') };
}
