import type { ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { useColleagues } from './colleagues.tsx';
import { useDeskWords } from './desk-words.ts';

const MOST_FACES = 3;

/** The faces of others of the team who have the chat open. */
export function WhoIsHere({ chat }: { chat: string }): ReactNode {
  const words = useDeskWords();
  const there = useColleagues().of(chat);
  if (there.length === 0) return null;
  const said = there.map(({ name, doing }) => words[doing](name)).join(', ');
  return (
    <span className="who-is-here" title={said}>
      {there.slice(0, MOST_FACES).map(({ id, name, doing }) => (
        <span key={id} className={`face ${doing}`}>
          <Avatar name={name} id={id} photo={undefined} />
        </span>
      ))}
      <span className="unseen">{said}</span>
    </span>
  );
}

/** The same in words, above the field. */
export function WhoWrites({ chat }: { chat: string }): ReactNode {
  const words = useDeskWords();
  const there = useColleagues().of(chat);
  const said = there.map(({ name, doing }) => words[doing](name)).join(' · ');
  return (
    <p className="who-writes muted cut" role="status">
      {said}
    </p>
  );
}
