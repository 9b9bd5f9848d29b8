import type { NoteResource } from '@flotilla/contract/notes.ts';
import { type ReactNode, useState } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { useSession } from '../../../session.tsx';
import { useChatActions } from '../chat/chat-actions.ts';
import { useMessageTimes } from '../chat/times.ts';
import { NoteForm } from './note-form.tsx';
import { useNotesWords } from './notes-words.ts';
import { useNotes } from './use-notes.ts';
import './notes.css';

/** A note among the messages of its chat. */
export function NoteView({ note }: { note: NoteResource }): ReactNode {
  const words = useNotesWords();
  const { account } = useSession();
  const { timeOf, exactOf } = useMessageTimes();
  const { chat } = useChatActions();
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const { account_name: name = note.account, account_id: by } = note;
  const isOwn = by === account.id || account.role === 'admin';
  if (isEditing) return <NoteForm chat={chat} note={note} leave={() => setEditing(false)} />;
  return (
    <div className="note">
      <div className="note-body">
        <p className="sender">
          <Avatar name={name} id={by ?? 0} photo={undefined} />
          <bdi className="cut">{name}</bdi>
          <span className="muted">{words.note}</span>
          {note.mentions.includes(account.id) && <span className="note-you">{words.mentionedYou}</span>}
        </p>
        <div className="text" dir="auto">
          {note.text}
        </div>
        <p className="meta">
          {note.edited_at !== undefined && <span title={exactOf(note.edited_at)}>{words.edited}</span>}
          <time dateTime={note.created_at} title={exactOf(note.created_at)}>
            {timeOf(Date.parse(note.created_at) / 1000)}
          </time>
        </p>
      </div>
      {isOwn && (
        <Menu label={words.menu} face={<Icon name="more" />}>
          <MenuItem onClick={() => setEditing(true)}>{words.edit}</MenuItem>
          <MenuItem onClick={() => setRemoving(true)}>{words.remove}</MenuItem>
        </Menu>
      )}
      {isRemoving && <RemoveNote note={note} close={() => setRemoving(false)} />}
    </div>
  );
}

function RemoveNote({ note, close }: { note: NoteResource; close: () => void }): ReactNode {
  const words = useNotesWords();
  const { remove, isPending, error } = useNotes(useChatActions().chat, close);
  return (
    <Confirm
      title={words.removeTitle}
      act={words.remove}
      danger
      busy={isPending}
      error={error}
      close={close}
      run={() => remove(note.id)}
    />
  );
}
