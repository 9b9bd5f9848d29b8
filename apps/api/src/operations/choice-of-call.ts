import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';

type ChoiceInput<Filter> = {
  ids?: readonly number[] | undefined;
  bot_id?: number | undefined;
  filter?: Filter | undefined;
};

/**
 * The rows that a call acts on: by their ids, or those that match a filter, which may name its bot in two places. Throws 'bad_request'
 * when it names both, contradicts itself, or names nothing, which would be everything.
 */
export function choiceOf<Filter extends { bot_id?: number | undefined }>({
  ids,
  bot_id,
  filter,
}: ChoiceInput<Filter>): { filter: Partial<Filter>; bot_id: number | undefined } {
  if (ids !== undefined && filter !== undefined) throw refusedInput('filter', 'cannot be given beside ids');
  const chosen = bot_id ?? filter?.bot_id;
  if (filter?.bot_id !== undefined && filter.bot_id !== chosen) {
    throw refusedInput('filter.bot_id', 'contradicts bot_id');
  }
  if (ids === undefined && filter === undefined && chosen === undefined) {
    throw refusedInput('ids', 'is required, or a filter or a bot_id in its place');
  }
  return { filter: filter ?? {}, bot_id: chosen };
}
