import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { useWords } from '../words/words.tsx';
import { personName } from './person-name.ts';
import { type Finder, type Option, PickField } from './pick-field.tsx';

const SHOWN = 8;
const KNOWN_MS = 5 * 60_000;
const ID = /^-?[1-9]\d{0,15}$/;

type PlaceProps = {
  label: string;
  hint?: string;
  fault?: string | undefined;
  botId: number;
  /** '' for none. */
  id: string;
  choose: (id: string) => void;
};

type ChatProps = PlaceProps & {
  /** What stands for no chat of its own. */
  none?: Option;
};

/** A chat of a bot, found by a part of its name, or by its id. */
export function ChatField({ botId, id, choose, none, ...rest }: ChatProps): ReactNode {
  const words = useWords().pick;
  const known = useQuery({
    queryKey: ['chat-title', botId, id],
    queryFn: async ({ signal }) => {
      const chats = await call('listChats', { bot_id: botId, q: id, limit: SHOWN }, signal);
      return chats.find((chat) => String(chat.id) === id) ?? null;
    },
    enabled: ID.test(id),
    staleTime: KNOWN_MS,
    retry: false,
  });
  const finder: Finder = {
    key: ['chats', 'placed', botId, none?.name],
    async find(q, signal) {
      if (ID.test(q)) return [{ id: q, name: q, note: words.byId }];
      const input = { bot_id: botId, order: 'recent', limit: SHOWN, ...(q === '' ? {} : { q }) } as const;
      const chats = await call('listChats', input, signal);
      const found = chats.map((chat) => ({
        id: String(chat.id),
        name: chat.title ?? String(chat.id),
        note: String(chat.id),
      }));
      return none === undefined || q !== '' ? found : [none, ...found];
    },
  };
  const chosen = none?.id === id ? none.name : (known.data?.title ?? id);
  return <PlaceField {...rest} chosen={chosen} finder={finder} choose={choose} />;
}

/** Somebody who wrote to a bot, found by a part of the name, or by the id. */
export function PersonField({ botId, id, choose, ...rest }: PlaceProps): ReactNode {
  const words = useWords().pick;
  const find = (q: string, signal: AbortSignal) => call('findPeople', { bot_id: botId, q, limit: SHOWN }, signal);
  const known = useQuery({
    queryKey: ['person-name', botId, id],
    queryFn: async ({ signal }) => (await find(id, signal)).find((person) => String(person.user_id) === id) ?? null,
    enabled: ID.test(id),
    staleTime: KNOWN_MS,
    retry: false,
  });
  const finder: Finder = {
    key: ['people', 'placed', botId],
    async find(q, signal) {
      if (q === '') return [];
      const people = await find(q, signal);
      const found = people.map((person) => optionOf(person.user_id, personName({ ...person, id: person.user_id })));
      return ID.test(q) && found.length === 0 ? [{ id: q, name: q, note: words.byId }] : found;
    },
  };
  const chosen = known.data ? personName({ ...known.data, id: known.data.user_id }) : id;
  return <PlaceField {...rest} chosen={chosen} finder={finder} choose={choose} />;
}

function optionOf(id: number, name: string): Option {
  return { id: String(id), name, note: String(id) };
}

type FieldProps = Omit<PlaceProps, 'botId' | 'id'> & { chosen: string; finder: Finder };

/** An id that is typed counts when the field is left. */
function PlaceField({ choose, hint, ...rest }: FieldProps): ReactNode {
  return (
    <PickField
      {...rest}
      {...(hint === undefined ? {} : { hint })}
      choose={(option) => choose(option?.id ?? '')}
      own={(typed) => (typed === '0' || ID.test(typed) ? { id: typed, name: typed } : null)}
    />
  );
}
