import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import { type MessageSearch, searchMessages } from '@flotilla/domain/records/messages/search-messages.ts';
import { type SearchCursor, searchCursorOf } from '@flotilla/domain/records/messages/search-scope.ts';
import { withinSearchTime } from '@flotilla/domain/records/messages/search-time.ts';
import type { Note } from '@flotilla/domain/records/notes/note-store.ts';
import { positionOfNote, searchNotes } from '@flotilla/domain/records/notes/search-notes.ts';
import type { Context } from '../context.ts';

/** A message that was found, or a note. */
export type Found = { message: Message; note?: undefined } | { message?: undefined; note: Note };

/** Messages that match a search, newest first, with the forms of its words. With notes it reads pages by `before` alone. */
export async function findMessages(
  { db }: Pick<Context, 'db'>,
  { withNotes, ...search }: MessageSearch & { withNotes: boolean },
) {
  const { messages, total, forms } = await searchMessages({ db }, search);
  const found: Found[] = messages.map((message) => ({ message }));
  const { user_id, media_type, thread_id, ...filter } = search.filter ?? {};
  const ofPeople = user_id !== undefined || media_type !== undefined || thread_id !== undefined;
  if (!withNotes || ofPeople) return { found, total, forms };
  const { notes, total: notesInAll } = await withinSearchTime(search.signal, (ended) =>
    searchNotes({ db }, { ...filter, ...search, forms }, ended),
  );
  const all = [...found, ...notes.map((note) => ({ note }))].sort(newestFirst);
  return { found: all.slice(0, search.limit), total: total + notesInAll, forms };
}

export function positionOfFound({ message, note }: Found): SearchCursor {
  return message === undefined ? positionOfNote(note) : searchCursorOf(message);
}

function newestFirst(one: Found, other: Found): number {
  const [place, otherPlace] = [positionOfFound(one), positionOfFound(other)];
  for (const [at, part] of place.entries()) {
    if (part !== otherPlace[at]) return part < otherPlace[at]! ? 1 : -1;
  }
  return 0;
}
