import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** A method, the names of its parameters, and the type of its result: `true`, `Message`, `Sticker[]`, `string`. */
export type DocumentedMethod = { name: string; parameters: string[]; result: string };

/** The release of the Bot API that the types describe. */
export function documentedVersion(): string {
  return /Based on Bot API v([\d.]+)/.exec(read('methods'))![1]!;
}

/** The names of the fields of an object, such as `Update`; of all, or of those that are always there. */
export function documentedFields(object: string, { required = false } = {}): string[] {
  return namesIn(read('objects'), `Telegram${object}`, required ? ':' : '\\??:');
}

/** Every method of the newest release of the Bot API that the types know. */
export function documentedMethods(): DocumentedMethod[] {
  const parameters = read('params');
  const methods = withoutComments(read('methods')).split('export interface APIMethods {')[1]!;
  return methods
    .split(/^ {4}(?=\w+: )/m)
    .slice(1)
    .map((method) => {
      const [, name, form, types] = /^(\w+): CallAPI(\w*)<([\s\S]*)>/.exec(method)!;
      const taken = /Params\.(\w+)/.exec(method)?.[1];
      const result = form === 'WithoutParams' ? types! : types!.slice(types!.indexOf(',') + 1);
      return {
        name: name!,
        parameters: taken === undefined ? [] : namesIn(parameters, taken),
        result: result.replaceAll(/\s|Objects\.|Telegram/g, ''),
      };
    });
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

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
}

function namesIn(text: string, type: string, end = '\\??:'): string[] {
  const body = withoutComments(text).split(`export interface ${type} {`)[1]!.split(/^}/m)[0]!;
  return [...body.matchAll(new RegExp(`^ {4}(\\w+)${end}`, 'gm'))].map(([, name]) => name!);
}

/** These types are made from the platform's documentation, and have the number of its release. */
function read(file: 'methods' | 'objects' | 'params'): string {
  const folder = dirname(findPackageJSON('@gramio/types', import.meta.url)!);
  return readFileSync(join(folder, 'out', `${file}.d.ts`), 'utf8');
}
