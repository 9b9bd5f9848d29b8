import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Every method and its parameters, from the types that a client library keeps beside the platform's documentation. */
export function documentedMethods(): { name: string; parameters: string[] }[] {
  const folder = dirname(createRequire(import.meta.url).resolve('@grammyjs/types/package.json'));
  const text = readFileSync(join(folder, 'methods.d.ts'), 'utf8').split('export type ApiMethods')[1]!;
  return text
    .split(/^ {4}(?=\w+\()/m)
    .slice(1)
    .map((method) => ({
      name: /^\w+/.exec(method)![0],
      parameters: [...method.matchAll(/^ {8}(\w+)\??:/gm)].map(([, name]) => name!),
    }));
}

/** They touch a business account, another user or another place than the chat, so `chat_id` does not tell all. */
const TOUCH_MORE = [
  'sendChecklist',
  'editMessageChecklist',
  'sendGift',
  'setChatMenuButton',
  'getChatMenuButton',
  'readBusinessMessage',
  'repostStory',
];

/** The parameters that name all chats which a method touches; null if they do not name all of them. */
export function documentedChats({ name, parameters }: { name: string; parameters: string[] }): string[] | null {
  const named = parameters.filter((parameter) => ['chat_id', 'from_chat_id'].includes(parameter)).sort();
  return named.includes('chat_id') && !TOUCH_MORE.includes(name) ? named : null;
}
