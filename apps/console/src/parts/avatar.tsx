import type { ReactNode } from 'react';
import { usePhoto } from './photos.ts';
import './avatar.css';

const COLOURS = 7;

type AvatarProps = {
  name: string;
  /** Whose it is: the colour is of it. */
  id: number;
  /** The address of a photo that may be there. */
  photo: string | undefined;
};

/** The photo of a chat or a person; until it is there, and where there is none, the first letters of the name. */
export function Avatar({ name, id, photo }: AvatarProps): ReactNode {
  const shown = usePhoto(photo);
  return (
    <span className="avatar" data-colour={Math.abs(id) % COLOURS} data-initials={initialsOf(name)} aria-hidden="true">
      {shown !== undefined && <img src={shown} alt="" />}
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
