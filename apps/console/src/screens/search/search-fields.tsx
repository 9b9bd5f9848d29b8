import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given, TypedField } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { personName } from '../../parts/person-name.ts';
import { type Finder, PickField } from '../../parts/pick-field.tsx';
import { useWords } from '../../words/words.tsx';
import { MEDIA_TYPES, type MediaType, type SearchAddress } from './search-address.ts';

const SHOWN = 8;

/** What to look for, and where; the address holds all of it. */
export function SearchFields({ address }: { address: SearchAddress }): ReactNode {
  const { search: words, audit } = useWords();
  const navigate = useNavigate({ from: '/search' });
  const choose = (change: { [Name in keyof SearchAddress]: SearchAddress[Name] | undefined }) =>
    void navigate({ search: given({ ...address, ...change }), replace: true });
  const { bot, chat, user } = address;
  return (
    <search className="filters" aria-label={words.title}>
      <div className="words-field">
        <TypedField
          slash
          label={words.words}
          placeholder={words.wordsHint}
          text={address.q ?? ''}
          choose={(q) => choose({ q: q.trim() === '' ? undefined : q })}
        />
      </div>
      <BotField
        label={audit.columns.bot}
        placeholder={audit.anyBot}
        botId={bot}
        choose={(id) => choose({ bot: id, chat: undefined, user: undefined })}
      />
      <ChatField
        bot={bot}
        chat={chat}
        choose={(place) => choose({ bot: place?.bot ?? bot, chat: place?.chat, user: undefined })}
      />
      <UserField bot={bot} chat={chat} user={user} choose={(id) => choose({ user: id })} />
      <SelectField
        label={words.type}
        options={[['', words.anyType], ...MEDIA_TYPES.map((one) => [one, words.types[one]] as const)]}
        value={address.type ?? ''}
        choose={(type: MediaType | '') => choose({ type: type === '' ? undefined : type })}
      />
      <PeriodField from={address.from} to={address.to} choose={choose} />
      {Object.keys(address).length > 0 && (
        <Link to="/search" className="button quiet">
          {audit.clear}
        </Link>
      )}
    </search>
  );
}

type Place = { bot: string; chat: string };
type ChatFieldProps = {
  bot: string | undefined;
  chat: string | undefined;
  choose: (place: Place | undefined) => void;
};

function ChatField({ bot, chat, choose }: ChatFieldProps): ReactNode {
  const { search: words } = useWords();
  const title = useChatName(bot, chat);
  return (
    <PickField
      label={words.chat}
      placeholder={words.anyChat}
      chosen={title}
      finder={chatsOf(bot)}
      choose={(option) => {
        const [ofBot = '', id = ''] = option?.id.split(' ') ?? [];
        choose(option === null ? undefined : { bot: ofBot, chat: id });
      }}
    />
  );
}

/** Chats of one bot or of all, with the ids of both. */
function chatsOf(bot: string | undefined): Finder {
  return {
    key: ['chats', 'picked', bot],
    async find(q, signal) {
      const where = { ...given({ bot_id: bot, q }), order: 'recent', limit: SHOWN } as const;
      const chats = await call('listChats', where, signal);
      return chats.map(({ id, bot_id: ofBot, title, username }) => ({
        id: `${ofBot} ${id}`,
        name: title ?? String(id),
        ...(username ? { note: `@${username}` } : {}),
      }));
    },
  };
}

/** The title of the chat as the platform has it; its id where it does not answer. */
function useChatName(bot: string | undefined, chat: string | undefined): string {
  const found = useQuery({
    queryKey: ['chat-title', Number(bot), Number(chat)],
    queryFn: ({ signal }) => call('refreshChat', { bot_id: bot!, chat_id: chat! }, signal),
    enabled: bot !== undefined && chat !== undefined,
    retry: false,
    staleTime: 300_000,
  });
  return chat === undefined ? '' : (found.data?.title ?? chat);
}

type UserFieldProps = {
  bot: string | undefined;
  chat: string | undefined;
  user: string | undefined;
  choose: (user: string | undefined) => void;
};

function UserField({ bot, chat, user, choose }: UserFieldProps): ReactNode {
  const { search: words } = useWords();
  const found = useQuery({
    queryKey: ['people', 'named', user],
    queryFn: ({ signal }) => call('findPeople', { q: user!, limit: SHOWN }, signal),
    enabled: user !== undefined,
    staleTime: 300_000,
  });
  const person = found.data?.find(({ user_id: id }) => String(id) === user);
  const name = user === undefined ? '' : personName({ ...person, id: Number(user) });
  return (
    <PickField
      label={words.user}
      placeholder={words.anyUser}
      chosen={name}
      finder={bot !== undefined && chat !== undefined ? usersOf(bot, chat) : peopleOf(bot)}
      choose={(option) => choose(option?.id)}
    />
  );
}

/** People of one bot or of all; the api lists none without a name. */
function peopleOf(bot: string | undefined): Finder {
  return {
    key: ['people', 'picked', bot],
    async find(q, signal) {
      if (q === '') return [];
      const people = await call('findPeople', { ...given({ bot_id: bot }), q, limit: SHOWN }, signal);
      return people.map(({ user_id: id, ...person }) => ({
        id: String(id),
        name: personName({ ...person, id }),
        ...(person.username ? { note: `@${person.username}` } : {}),
      }));
    },
  };
}

function usersOf(bot: string, chat: string): Finder {
  return {
    key: ['chat-users', 'picked', bot, chat],
    async find(q, signal) {
      const users = await call('listChatUsers', { bot_id: bot, chat_id: chat, q, limit: SHOWN }, signal);
      return users.map((user) => ({
        id: String(user.id),
        name: personName(user),
        ...(user.username ? { note: `@${user.username}` } : {}),
      }));
    },
  };
}
