import type { PersonResource } from '@flotilla/contract/chat-users.ts';
import type { FoundMessageResource } from '@flotilla/contract/message-operations.ts';
import { highlighter } from '@flotilla/database/search-highlights.ts';
import type { WordForms } from '@flotilla/database/word-forms.ts';
import type { Person } from '@flotilla/domain/records/chat-users/people-store.ts';
import { chatTitles, titleKey } from '@flotilla/domain/records/chats/chat-titles.ts';
import { inSlices } from '@flotilla/domain/records/history/in-slices.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Context } from '../context.ts';
import { presentMessage } from './present-message.ts';
import { withoutNulls } from './without-nulls.ts';

/** Messages with the names of their chats and what `q` found in them. Those of a bot that has just gone are left out. */
export async function presentFound(
  { db, directory }: Pick<Context, 'db' | 'directory'>,
  messages: Message[],
  q: string,
  forms: WordForms,
): Promise<FoundMessageResource[]> {
  const titles = await chatTitles(db, messages);
  const highlightsOf = highlighter(q, forms);
  const found: FoundMessageResource[] = [];
  // A page may have a million characters.
  await inSlices(messages, (message) => {
    const bot = directory.byId(message.bot_id);
    if (bot === undefined) return;
    const title = titles.get(titleKey(message));
    const highlights = message.text === null ? [] : highlightsOf(message.text);
    found.push({ ...presentMessage(bot, message), ...(title === undefined ? {} : { chat_title: title }), highlights });
  });
  return found;
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
