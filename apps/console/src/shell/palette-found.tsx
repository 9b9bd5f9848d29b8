import type { PersonResource } from '@flotilla/contract/chat-users.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { titleOf } from '../parts/chat-name.tsx';
import { searchOf } from '../parts/inbox-address.ts';
import { Marked } from '../parts/marked.tsx';
import { personName } from '../parts/person-name.ts';
import { useWords } from '../words/words.tsx';
import type { Target, TargetGroup } from './palette-target.ts';

const SHOWN = 5;
/** A phone shows little of a text. */
const LEAD = 12;

export type Found = { groups: TargetGroup[]; isLooking: boolean; error: Error | null };

/** The chats, people, rules and messages that the api finds of all bots of the account. '' asks for nothing. */
export function useFound(q: string): Found {
  const words = useWords();
  const open = useOpen();
  const asked = { enabled: q !== '' } as const;
  const chats = useQuery({
    ...asked,
    queryKey: ['chats', 'palette', q],
    queryFn: ({ signal }) => call('listChats', { q, order: 'recent', limit: SHOWN }, signal),
  });
  const people = useQuery({
    ...asked,
    queryKey: ['people', 'palette', q],
    queryFn: ({ signal }) => call('findPeople', { q, limit: SHOWN }, signal),
  });
  const rules = useQuery({
    ...asked,
    queryKey: ['rules', 'palette', q],
    queryFn: ({ signal }) => call('listRoutingRules', { q, limit: SHOWN }, signal),
  });
  const messages = useQuery({
    ...asked,
    queryKey: ['found', 'palette', q],
    queryFn: ({ signal }) => call('searchMessages', { q, limit: SHOWN, notes: true }, signal),
  });
  const found: Target[] = (messages.data ?? []).map((message) => ({
    key: `${message.note ? 'note' : 'message'}-${message.bot_id}-${message.chat_id}-${message.business_connection_id ?? ''}-${message.id}`,
    face: (
      <TwoTexts
        one={
          <>
            {message.note && <span className="muted">{words.search.note} </span>}
            <Marked text={message.text ?? ''} highlights={message.highlights} lead={LEAD} />
          </>
        }
        other={message.chat_title}
      />
    ),
    go: () =>
      open.chat(message.bot_id, message.chat_id, {
        connection: message.business_connection_id,
        around: message.note ? undefined : message.id,
      }),
  }));
  const all = [chats, people, rules, messages];
  return {
    isLooking: all.some(({ isFetching }) => isFetching),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    groups: [
      {
        name: 'chats',
        targets: (chats.data ?? []).map(({ bot_id, id, business_connection_id: connection, title, username }) => ({
          key: `chat-${bot_id}-${id}-${connection ?? ''}`,
          face: <TwoTexts one={titleOf({ id, title })} other={username && `@${username}`} />,
          go: () => open.chat(bot_id, id, { connection }),
        })),
      },
      {
        name: 'people',
        targets: (people.data ?? []).map((person) => ({
          key: `person-${person.user_id}`,
          face: (
            <TwoTexts
              one={personName({ ...person, id: person.user_id })}
              other={person.username ? `@${person.username}` : person.chats[0]?.title}
            />
          ),
          go: () => open.person(person),
        })),
      },
      {
        name: 'rules',
        targets: (rules.data ?? []).map((rule) => ({
          key: `rule-${rule.id}`,
          face: (
            <TwoTexts one={rule.condition_value || rule.description} other={rule.condition_value && rule.description} />
          ),
          go: () => open.rules(rule.source_bot_id),
        })),
      },
      {
        name: 'messages',
        targets:
          found.length === 0
            ? []
            : [...found, { key: 'messages', face: words.palette.allMessages(q), go: () => open.search(q) }],
      },
    ],
  };
}

function useOpen() {
  const navigate = useNavigate();
  const chat = (botId: number, chatId: number, place: Parameters<typeof searchOf>[0] = {}) =>
    void navigate({
      to: '/inbox/$botId/$chatId',
      params: { botId: String(botId), chatId: String(chatId) },
      search: searchOf(place),
    });
  return {
    chat,
    /** In the chat in which they wrote last; of a private chat, the person is beside it. */
    person({ user_id, chats: [newest] }: PersonResource) {
      if (newest === undefined) return;
      const { bot_id, chat_id } = newest;
      if (chat_id === user_id) return chat(bot_id, chat_id);
      const params = { id: String(bot_id), chat: String(chat_id) };
      void navigate({ to: '/bots/$id/chats/$chat/people', params, search: { user: String(user_id) } });
    },
    rules: (botId: number) => void navigate({ to: '/bots/$id/rules', params: { id: String(botId) } }),
    search: (q: string) => void navigate({ to: '/search', search: { q } }),
  };
}

function TwoTexts({ one, other }: { one: ReactNode; other: string | undefined }): ReactNode {
  return (
    <>
      <bdi className="cut">{one}</bdi>
      {other && <bdi className="muted cut">{other}</bdi>}
    </>
  );
}
