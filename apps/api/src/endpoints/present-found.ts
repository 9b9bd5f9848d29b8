import type { PersonResource } from '@flotilla/contract/chat-users.ts';
import type { FoundMessageResource } from '@flotilla/contract/message-operations.ts';
import { highlighter } from '@flotilla/database/search-highlights.ts';
import type { WordForms } from '@flotilla/database/word-forms.ts';
import type { Person } from '@flotilla/domain/records/chat-users/people-store.ts';
import { chatTitles, titleKey } from '@flotilla/domain/records/chats/chat-titles.ts';
import { inSlices } from '@flotilla/domain/records/history/in-slices.ts';
import type { Note } from '@flotilla/domain/records/notes/note-store.ts';
import type { Context } from '../context.ts';
import type { Found } from './find-messages.ts';
import { presentMessage } from './present-message.ts';
import { withoutNulls } from './without-nulls.ts';

/** Messages and notes with the names of their chats and what `q` found in them. Those of a bot that has just gone are left out. */
export async function presentFound(
  { db, directory }: Pick<Context, 'db' | 'directory'>,
  all: readonly Found[],
  q: string,
  forms: WordForms,
): Promise<FoundMessageResource[]> {
  const titles = await chatTitles(
    db,
    all.map(({ message, note }) => message ?? note),
  );
  const highlightsOf = highlighter(q, forms);
  const found: FoundMessageResource[] = [];
  // A page may have a million characters.
  await inSlices(all, ({ message, note }) => {
    const { bot_id, chat_id, text } = message ?? note;
    const bot = directory.byId(bot_id);
    if (bot === undefined) return;
    const title = titles.get(titleKey({ bot_id, chat_id }));
    const shown = message === undefined ? presentFoundNote(note) : presentMessage(bot, message);
    const highlights = text === null ? [] : highlightsOf(text);
    found.push({ ...shown, ...(title === undefined ? {} : { chat_title: title }), highlights });
  });
  return found;
}

function presentFoundNote(found: Note): Omit<FoundMessageResource, 'highlights'> {
  const { id, chat_id, bot_id, text, business_connection_id, edited_at, account_id, account_name, ...note } = found;
  return {
    ...{ id, chat_id, bot_id, text, date: Math.floor(found.created_at.getTime() / 1000), outgoing: false },
    ...(business_connection_id === '' ? {} : { business_connection_id }),
    ...withoutNulls({ edited_at: edited_at?.toISOString() ?? null }),
    note: { account: note.account, mentions: note.mentions, ...withoutNulls({ account_id, account_name }) },
  };
}

export function presentPerson({ user_id, username, first_name, last_name, chats }: Person): PersonResource {
  return {
    user_id,
    ...withoutNulls({ username, first_name, last_name }),
    chats: chats.map(({ title, messages, last_message_at, ...chat }) => ({
      ...chat,
      ...withoutNulls({ title }),
      ...{ messages, last_message_at },
    })),
  };
}
