import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import { isAmongTopics } from '@flotilla/telegram/message-topic.ts';
import { compilePattern } from './compile-pattern.ts';
import type { FilterFacts } from './filter-facts.ts';
import { type FoldedText, foldText, hasFoldedKeyword } from './keyword.ts';

/** The facts of an update, with its text prepared for keywords once. */
export type FoldedFacts = FilterFacts & {
  folded(): FoldedText;
  /** The programs to which its chat is bound. */
  boundTo: ReadonlySet<number>;
};
type Condition = (facts: FoldedFacts) => boolean;

/** The filter of a program as one condition. `username`: that of the bot, because a command may name it (`/start@name`). */
export function compileFilter(filter: ProgramFilter, username: string, programId: number): Condition {
  const conditions = conditionsOf(filter, username.toLowerCase(), programId);
  return (facts) => conditions.every((holds) => holds(facts));
}

export function withFoldedText(facts: FilterFacts, boundTo: ReadonlySet<number>): FoldedFacts {
  let folded: FoldedText | null = null;
  return {
    ...facts,
    boundTo,
    folded: () => {
      folded ??= foldText(facts.text ?? '');
      return folded;
    },
  };
}

/** The cheap conditions come first, so that the others are rarely evaluated. */
function conditionsOf(filter: ProgramFilter, username: string, programId: number) {
  const { chat_ids, bound_only, thread_ids, chat_types, user_ids, commands, keyword, text } = filter;
  const conditions: Condition[] = [];
  if (chat_ids !== undefined || bound_only === true) {
    const ids = new Set(chat_ids);
    conditions.push(({ chatId, boundTo }) => chatId !== null && (ids.has(chatId) || boundTo.has(programId)));
  }
  if (thread_ids !== undefined) {
    const ids = new Set(thread_ids);
    conditions.push(({ topic, chatId }) => topic !== null && isAmongTopics(ids, topic, chatId ?? 0));
  }
  if (chat_types !== undefined) {
    const types = new Set<string>(chat_types);
    conditions.push(({ chatType }) => chatType !== null && types.has(chatType));
  }
  if (user_ids !== undefined) {
    const ids = new Set(user_ids);
    conditions.push(({ userIds }) => userIds.some((id) => ids.has(id)));
  }
  if (commands !== undefined) {
    const names = new Set(commands.map((name) => name.toLowerCase()));
    conditions.push(
      ({ command }) => command !== null && names.has(command.name) && (command.of === '' || command.of === username),
    );
  }
  if (keyword !== undefined) {
    conditions.push((facts) => facts.text !== null && hasFoldedKeyword(facts.folded(), keyword));
  }
  if (text !== undefined) conditions.push(patternCondition(text));
  return conditions;
}

function patternCondition(pattern: string): Condition {
  const compiled = compilePattern(pattern);
  // Only checked patterns are stored; one that a later release refuses selects nothing.
  if (compiled.outcome === 'refused') return () => false;
  return (facts) => facts.text !== null && compiled.matches(facts.text);
}
