import { METHOD_GROUPS, METHODS, type MethodGroup, methodFacts } from '@flotilla/contract/bot-api/methods.ts';

/** Allows `file:` in place of a file, by which a Bot API server in local mode reads a file of its own disk. */
export const LOCAL_FILES = 'local_files';

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

/** The methods, in lower case, that these names and groups allow. */
export function methodsNamed(namesAndGroups: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(namesAndGroups.map((name) => name.toLowerCase()));
  const known = Object.entries(METHODS).map(([name, { group }]) => [name.toLowerCase(), group] as const);
  return new Set(known.filter(([method, group]) => wanted.has(method) || wanted.has(group)).map(([name]) => name));
}

/** True for what the list of a token may name: a group, a method that we know (in any case), or LOCAL_FILES. */
export function isGrant(name: string): boolean {
  return [...METHOD_GROUPS, LOCAL_FILES].includes(name) || methodFacts(name.toLowerCase()) !== undefined;
}
