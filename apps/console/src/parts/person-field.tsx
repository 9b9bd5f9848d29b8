import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { useWords } from '../words/words.tsx';
import { personName } from './person-name.ts';
import { type Option, PickField } from './pick-field.tsx';

const SHOWN = 8;
const KNOWN_MS = 5 * 60_000;
const ID = /^-?[1-9]\d{0,15}$/;

type PersonProps = {
  label: string;
  placeholder?: string;
  hint?: string;
  fault?: string | undefined;
  /** Absent: of any bot. */
  bot_id?: number | string | undefined;
  /** Of this chat alone. */
  chat_id?: string | undefined;
  userId: string | undefined;
  choose: (userId: string | undefined) => void;
};

/** Somebody who wrote to a bot, found by a part of the name, or by the id. */
export function PersonField({ bot_id, chat_id, userId, choose, ...rest }: PersonProps): ReactNode {
  const { pick: words } = useWords();
  const find = async (q: string, signal: AbortSignal): Promise<Option[]> => {
    const inChat = bot_id !== undefined && chat_id !== undefined;
    // The api lists people by their names alone.
    if (q === '' && !inChat) return [];
    const where = bot_id === undefined ? {} : { bot_id };
    const found = inChat
      ? await call('listChatUsers', { bot_id, chat_id, q, limit: SHOWN }, signal)
      : await call('findPeople', { ...where, q, limit: SHOWN }, signal);
    const options = found.map((person) => {
      const id = String('user_id' in person ? person.user_id : person.id);
      return { id, name: personName(person), note: person.username ? `@${person.username}` : id };
    });
    return options.length === 0 && ID.test(q) ? [{ id: q, name: q, note: words.byId }] : options;
  };
  const known = useQuery({
    queryKey: ['person-name', bot_id, userId],
    queryFn: async ({ signal }) => (await find(userId!, signal)).find(({ id }) => id === userId)?.name ?? userId,
    enabled: ID.test(userId ?? ''),
    staleTime: KNOWN_MS,
    retry: false,
  });
  return (
    <PickField
      {...rest}
      chosen={known.data ?? userId ?? ''}
      finder={{ key: ['people', 'picked', bot_id, chat_id], find }}
      choose={(option) => choose(option?.id)}
      own={(typed) => (ID.test(typed) ? { id: typed, name: typed } : null)}
    />
  );
}
