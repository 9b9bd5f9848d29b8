import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BotField } from '../../parts/bot-field.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given, TypedField } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { useWords } from '../../words/words.tsx';
import { MEDIA_TYPES, type MediaType, type SearchAddress } from './search-address.ts';

/** The text to look for, and the scope; the address holds all of it. */
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
        label={words.chat}
        placeholder={words.anyChat}
        botId={bot}
        chatId={chat}
        choose={(id, ofBot) => choose({ bot: ofBot ?? bot, chat: id, user: undefined })}
      />
      <PersonField
        label={words.user}
        placeholder={words.anyUser}
        bot_id={bot}
        chat_id={chat}
        userId={user}
        choose={(id) => choose({ user: id })}
      />
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
