import { METHOD_GROUPS, type MethodGroup, methodFacts } from '@flotilla/contract/bot-api/methods.ts';

/** Allows `file:` in place of a file, by which a Bot API server in local mode reads a file of its own disk. */
export const LOCAL_FILES = 'local_files';

/** Allows the methods that we do not know: newer ones than this release. */
const NEW_METHODS = 'new';
/** How the Bot API writes nearly all of its methods. A group that is spelled wrong is none. */
const METHOD_NAME = /^[a-z]+[A-Z][A-Za-z0-9]*$/;

/** Newer methods that act in their `chat_id`, as far as a name tells; not on the bot itself or on its sticker sets. */
const IN_CHAT = /^(?:send|edit|forward|copy|delete|pin|unpin)(?!my|sticker)/;
/** On people, gifts, Stars, stories and queries a method acts whatever its `chat_id`. */
const BESIDE_CHAT = /(?:^|_)(?:user_ids?|owner_chat_id|gift_id|star_count|story_id|payment_charge_id|query_id)$/;

/** The group of a method; undefined for a method that we do not know. */
export function groupOfMethod(lowerCaseMethod: string): MethodGroup | 'named' | undefined {
  return methodFacts(lowerCaseMethod)?.group;
}

/** True for methods by which a bot gets, replaces or limits the tokens of bots that it manages. */
export function isOfManagedBots(lowerCaseMethod: string): boolean {
  return lowerCaseMethod.includes('managedbot');
}

/** Which parameters name the chats that a method touches; null if they do not tell all of them. */
export function chatParametersOf(lowerCaseMethod: string): readonly string[] | null {
  return methodFacts(lowerCaseMethod)?.chats ?? null;
}

/** Which methods, in lower case, these names and groups allow. */
export function methodsNamed(namesAndGroups: readonly string[]): { has(lowerCaseMethod: string): boolean } {
  const named = new Set(namesAndGroups.map((name) => name.toLowerCase()));
  const newOnes = new Set(namesAndGroups.filter(isNewMethod).map((name) => name.toLowerCase()));
  return {
    has: (method) => {
      const group = groupOfMethod(method);
      if (group !== undefined) return named.has(method) || named.has(group);
      return newOnes.has(method) || (named.has(NEW_METHODS) && !isOfManagedBots(method));
    },
  };
}

/** True if `new` among these names in lower case allows an unknown method to who is limited to chats. */
export function isNewInChat(named: ReadonlySet<string>, lowerCaseMethod: string): boolean {
  return named.has(NEW_METHODS) && IN_CHAT.test(lowerCaseMethod);
}

/** True for a parameter by which an unknown method may act on more than the chat that it names. */
export function actsBesideChat(parameter: string): boolean {
  return BESIDE_CHAT.test(parameter);
}

/** True for what can be a method of the Bot API that we do not know. */
export function isNewMethod(name: string): boolean {
  return METHOD_NAME.test(name) && groupOfMethod(name.toLowerCase()) === undefined;
}

/** True for what the list of a token may name: a group, a method that we know (in any case) or may not know yet, or LOCAL_FILES. */
export function isGrant(name: string): boolean {
  if ([...METHOD_GROUPS, LOCAL_FILES, NEW_METHODS].includes(name)) return true;
  return groupOfMethod(name.toLowerCase()) !== undefined || isNewMethod(name);
}
