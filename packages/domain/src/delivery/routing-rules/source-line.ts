import { authorOf } from '@flotilla/telegram/message-facts.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { FormattedText } from './formatted-text.ts';

/** The line above a forwarded message that says who wrote it and where. */
export function sourceLine(message: Fields): FormattedText {
  const chat = readObject(message, 'chat') ?? {};
  const author = authorOf(message);
  const isPrivate = chat.type === 'private';
  const who = nameOf(author ?? (isPrivate ? chat : {}));
  const where = isPrivate || author?.id === chat.id ? '' : nameOf(chat);
  const words = who === '' ? where : where === '' ? who : `${who} in ${where}`;
  const text = words === '' ? 'Forwarded' : `Forwarded from ${words}`;
  return { text: `${text}\n`, entities: [{ type: 'italic', offset: 0, length: text.length }] };
}

/** The name of a person or a chat, as people know it. */
function nameOf(owner: Fields): string {
  const full = ['first_name', 'last_name'].map((field) => readText(owner, field) ?? '').filter((part) => part !== '');
  const name = readText(owner, 'title') ?? full.join(' ');
  const username = readText(owner, 'username');
  if (username === null) return oneLine(name);
  return name === '' ? `@${username}` : `${oneLine(name)} (@${username})`;
}

function oneLine(name: string): string {
  return name.replace(/\s+/gu, ' ').trim();
}
