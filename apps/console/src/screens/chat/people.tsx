import type { ChatUserResource } from '@flotilla/contract/chat-users.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { TypedField } from '../../parts/filters.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { personName } from '../../parts/person-name.ts';
import { useRowKeys } from '../../parts/row-keys.ts';
import { usePages } from '../../parts/use-pages.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { PersonPanel } from '../inbox/person/person-panel.tsx';
import { isGroup, useAdmins } from '../inbox/person/use-person.ts';
import { useChatOfPage } from './chat.tsx';
import '../../parts/chips.css';

const route = getRouteApi('/of-chat/bots/$id/chats/$chat/people');
const PAGE = 100;
/** Most groups have a few administrators. */
const SHAPES = ['first', 'second'];

/** Who wrote in the chat, and who administers it; one of them opens beside the list. */
export function People(): ReactNode {
  const words = useWords();
  const chat = useChatOfPage();
  const { q = '', user } = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePages<ChatUserResource>(['chat-users', chat, q], (page, signal) =>
    callPage('listChatUsers', { bot_id: chat.bot_id, chat_id: chat.chat_id, q, limit: PAGE, ...page }, signal),
  );
  useRowKeys('.table-body a');
  const search = (typed: string) => void navigate({ search: typed.trim() ? { q: typed } : {}, replace: true });
  return (
    <div className="people">
      {isGroup(chat) && <Admins q={q} />}
      <div className="people-tools">
        <TypedField slash label={words.chat.find} text={q} choose={search} />
        <p role="status" className="muted">
          {people.data && words.chat.peopleCount(people.total)}
        </p>
      </div>
      {people.isError && <Failure error={people.error} retry={() => void people.refetch()} />}
      {people.data && people.rows.length === 0 && <Empty title={q ? words.chat.noMatch : words.chat.nobody} />}
      {(people.rows.length > 0 || people.isPending) && (
        <VirtualTable
          label={words.chat.people}
          of={q}
          columns={columnsOf(words, q)}
          total={people.isPending ? 6 : people.rows.length}
          rowAt={(index) => people.rows[index]}
          keyOf={({ id }) => id}
          shows={people.shows}
          stale={people.isPending || people.isPlaceholderData}
        />
      )}
      {user !== undefined && (
        <Inspector key={user} title={words.person.title} close={() => search(q)}>
          <PersonPanel {...chat} user_id={Number(user)} />
        </Inspector>
      )}
    </div>
  );
}

function Admins({ q }: { q: string }): ReactNode {
  const words = useWords();
  const admins = useAdmins(useChatOfPage());
  return (
    <section className="panel" aria-labelledby="chat-admins">
      <h2 id="chat-admins">{words.chat.admins}</h2>
      {admins.isError && <Failure error={admins.error} retry={() => void admins.refetch()} />}
      <ul className="chat-admins" aria-busy={admins.isPending}>
        {admins.isPending &&
          SHAPES.map((shape) => (
            <li key={shape}>
              <span className="shape" />
            </li>
          ))}
        {admins.data?.map((admin) => (
          <li key={admin.id}>
            <PersonLink id={admin.id} q={q} className="cut">
              {personName(admin)}
            </PersonLink>
            {admin.username && <bdi className="muted">@{admin.username}</bdi>}
            <span className="chip">{admin.custom_title || words.person.statuses[admin.status]}</span>
            {admin.is_bot && <span className="muted">{words.chat.bot}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

type PersonLinkProps = { id: number; q: string; className: string; children: ReactNode };

function PersonLink({ id, q, className, children }: PersonLinkProps): ReactNode {
  return (
    <Link
      from="/bots/$id/chats/$chat/people"
      to="."
      search={{ ...(q ? { q } : {}), user: String(id) }}
      replace
      resetScroll={false}
      className={className}
    >
      <bdi>{children}</bdi>
    </Link>
  );
}

function columnsOf(words: Words, q: string): Column<ChatUserResource>[] {
  return [
    {
      name: 'name-cell',
      title: words.access.columns.name,
      width: 'minmax(8rem, 2fr)',
      cell: (person) => (
        <PersonLink id={person.id} q={q} className="cut row-link">
          {personName(person)}
        </PersonLink>
      ),
    },
    {
      name: 'username-cell',
      title: words.access.columns.username,
      width: 'minmax(7rem, 1.5fr)',
      cell: ({ username, is_bot }) => (
        <span className="muted cut">
          {username && <bdi>@{username}</bdi>} {is_bot && words.chat.bot}
        </span>
      ),
    },
    {
      name: 'id-cell',
      title: words.person.id,
      width: '9rem',
      end: true,
      cell: ({ id }) => <code className="muted">{id}</code>,
    },
  ];
}
