import { methodFacts } from '@flotilla/contract/bot-api/methods.ts';

/** True if a parameter of this method has files or inline results. */
export function hasContent(lowerCaseMethod: string): boolean {
  return methodFacts(lowerCaseMethod)?.has === 'content';
}

/** True if a parameter of this method can cost Stars, and none has files or inline results. */
export function hasPrice(lowerCaseMethod: string): boolean {
  return methodFacts(lowerCaseMethod)?.has === 'prices';
}

/** True if each successful call of this method costs Stars. */
export function spendsStars(lowerCaseMethod: string): boolean {
  return methodFacts(lowerCaseMethod)?.spends === true;
}
