import type { StoredProgram } from './active-program.ts';
import type { ActiveRule } from './active-rule.ts';
import { chatOfCondition } from './thread-place.ts';

/** A group of a bot, and the supergroup that it became. */
export type MovedGroup = [groupId: number, supergroupId: number];

type Configured = { rules: ActiveRule[]; programs: StoredProgram[]; moved_groups: MovedGroup[] };

/**
 * In force, what names a supergroup also means the group that it was: its last updates may come late, and a client that
 * still calls it must hear from the platform that it moved. Stored and shown is the supergroup alone.
 */
export function withFormerChats<Row extends Configured>({
  moved_groups: moved,
  ...row
}: Row): Omit<Row, 'moved_groups'> {
  if (moved.length === 0) return row;
  const formerOf = (ids: readonly number[]) => moved.filter(([, now]) => ids.includes(now)).map(([group]) => group);
  const withFormer = (ids: number[]) => [...new Set([...ids, ...formerOf(ids)])];
  return {
    ...row,
    rules: row.rules.map((rule) => {
      const chatId = chatOfCondition(rule);
      const formerChatIds = chatId === null ? [] : formerOf([chatId]);
      return formerChatIds.length === 0 ? rule : { ...rule, formerChatIds };
    }),
    programs: row.programs.map((program) => ({
      ...program,
      filter: { ...program.filter, ...(program.filter.chat_ids && { chat_ids: withFormer(program.filter.chat_ids) }) },
      tokens: program.tokens.map((token) => ({ ...token, chats: token.chats && withFormer(token.chats) })),
    })),
  };
}
