import { METHODS } from '@flotilla/contract/bot-api/methods.ts';
import { effectOf } from '@flotilla/contract/bot-api/parameters.ts';
import { BOT_API_VERSION, UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { PlatformDescription } from './describe-platform.ts';

/** `missing`: sentences, empty if both sides have the same. `newer`: what an older description cannot know. */
export type PlatformDifference = { missing: string[]; newer: string[] };

/** The platform still takes these names of methods, which its documentation has no more. */
const OLD_NAMES = ['kickChatMember', 'getChatMembersCount'];
/** A parameter that names a chat. Others ending so name the chat of a person. */
const CHAT = /^(from_|to_)?chat_id$/;
const PERSON = /(user_id|user_ids|_chat_id)$/;

/** Compares the tables of `bot-api` with a description. */
export function comparePlatform({ version, kinds, methods }: PlatformDescription): PlatformDifference {
  const described = [...methods.keys()];
  const ours = Object.keys(METHODS);
  const onlyOurs = [
    ...without(UPDATE_KINDS, kinds).map((kind) => `kind ${kind}: the description lacks it`),
    ...without(ours, [...described, ...OLD_NAMES]).map((method) => `method ${method}: the description lacks it`),
  ];
  const onlyTheirs = [
    ...without(kinds, UPDATE_KINDS).map((kind) => `kind ${kind}: update-kinds.ts lacks it`),
    ...without(described, ours).map((method) => `method ${method}: methods.ts lacks it`),
    ...unknownParameters(methods),
    ...[...methods].flatMap(([method, parameters]) => chatsOf(method, parameters)),
  ];
  const isOlder = version !== null && compareReleases(version, BOT_API_VERSION) < 0;
  return isOlder ? { missing: onlyTheirs, newer: onlyOurs } : { missing: [...onlyTheirs, ...onlyOurs], newer: [] };
}

function unknownParameters(methods: PlatformDescription['methods']): string[] {
  const users = new Map<string, string[]>();
  for (const [method, parameters] of methods) {
    for (const name of parameters.filter((one) => effectOf(one) === undefined)) {
      users.set(name, [...(users.get(name) ?? []), method]);
    }
  }
  return [...users].map(
    ([name, by]) => `parameter ${name}${meaningOf(name)} of ${by.join(', ')}: parameters.ts lacks it`,
  );
}

function meaningOf(parameter: string): string {
  if (CHAT.test(parameter)) return ', which names a chat,';
  return PERSON.test(parameter) ? ', which names a person,' : '';
}

/** A method without `chats` is one whose parameters do not tell all of them. */
function chatsOf(method: string, parameters: string[]): string[] {
  const ours = METHODS[method]?.chats;
  if (ours === undefined) return [];
  const theirs = parameters.filter((name) => CHAT.test(name));
  return [
    ...without(theirs, ours).map((name) => `method ${method}: its chats in methods.ts lack ${name}`),
    ...without(ours, theirs).map((name) => `method ${method}: the description lacks ${name}, one of its chats`),
  ];
}

function compareReleases(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function without(names: readonly string[], known: readonly string[]): string[] {
  return names.filter((name) => !known.includes(name));
}
