import { type ReactNode, useState } from 'react';
import './avatar.css';

const COLOURS = 7;

type AvatarProps = {
  name: string;
  /** Whose it is: the colour is of it. */
  id: number;
  /** The bot that knows a chat with this id, which may have a photo; undefined: none does. */
  botId: number | undefined;
};

/** The photo of a chat or a person; until it is there, and where there is none, the first letters of the name. */
export function Avatar({ name, id, botId }: AvatarProps): ReactNode {
  const source = `/api/chats/photo?bot_id=${botId}&chat_id=${id}`;
  const [shown, setShown] = useState('');
  const [failed, setFailed] = useState('');
  return (
    <span className="avatar" data-colour={Math.abs(id) % COLOURS} data-initials={initialsOf(name)} aria-hidden="true">
      {botId !== undefined && failed !== source && (
        <img
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          fetchPriority="low"
          className={shown === source ? 'shown' : ''}
          onLoad={() => setShown(source)}
          onError={() => setFailed(source)}
        />
      )}
    </span>
  );
}

/** The first letters of the first two words; a letter may be several characters. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? [];
  const letters = words.slice(0, 2).map((word) => [...segments.segment(word)][0]?.segment ?? '');
  return letters.join('').toLocaleUpperCase();
}

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
