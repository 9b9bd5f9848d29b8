import { type Chat, isAdmin } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import type { SimBot } from './sim-bot.ts';

type Command = { command: string; description: string };

/**
 * The commands that a person is offered in a chat: of the narrowest scope that has some, first in the person's language
 * (https://core.telegram.org/bots/api#determining-list-of-commands).
 */
export function offeredCommands(bot: SimBot, chat: Chat, person: User): Command[] {
  for (const scope of scopesOf(chat, person)) {
    for (const language of [person.language_code ?? '', '']) {
      const commands = bot.commands.get(`${scope}/${language}`);
      if (commands !== undefined && commands.length > 0) return commands;
    }
  }
  return [];
}

function scopesOf(chat: Chat, person: User): string[] {
  const here = `chat/${chat.id}/`;
  if (chat.person !== null) return [here, 'all_private_chats//', 'default//'];
  const governs = isAdmin(chat.members.get(person.id));
  return [
    `chat_member/${chat.id}/${person.id}`,
    ...(governs ? [`chat_administrators/${chat.id}/`] : []),
    here,
    ...(governs ? ['all_chat_administrators//'] : []),
    'all_group_chats//',
    'default//',
  ];
}
