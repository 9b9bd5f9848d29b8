import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLive } from '../live.ts';
import { linkToInbox } from '../parts/inbox-address.ts';
import { Menu, MenuLink } from '../parts/menu.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { MENTIONS, mentionsQuery } from './mentions.ts';

/** The notes that mention whoever is signed in; nothing while all are read. */
export function MentionsMenu(): ReactNode {
  const { inbox: words } = useWords();
  const { account } = useSession();
  const queries = useQueryClient();
  const { data: notes = [] } = useQuery(mentionsQuery);
  const ask = () => void queries.invalidateQueries({ queryKey: MENTIONS });
  useLive(
    ['desk'],
    ({ name, data }) => {
      if (name !== 'note') return;
      if (data.mentions.includes(account.id) || notes.some(({ id }) => id === data.note_id)) ask();
    },
    ask,
  );
  if (notes.length === 0) return null;
  return (
    <Menu
      label={words.mentions(notes.length)}
      face={
        <>
          @ <span className="count">{notes.length}</span>
        </>
      }
    >
      <div className="mentions">
        {notes.map((note) => (
          <MenuLink key={note.id} {...linkToInbox({ ...note, id: note.chat_id })}>
            <span className="mention">
              <bdi className="cut">{note.account_name ?? note.account}</bdi>
              <bdi className="muted cut">{note.text}</bdi>
            </span>
          </MenuLink>
        ))}
      </div>
    </Menu>
  );
}
