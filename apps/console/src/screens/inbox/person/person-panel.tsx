import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBotName } from '../../../parts/bot-field.tsx';
import { ChatLink } from '../../../parts/chat-link.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { personName } from '../../../parts/person-name.ts';
import { Moment, useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';
import { Actor } from '../../audit/actor.tsx';
import { Moderation } from './moderation.tsx';
import { Tags } from './tags.tsx';
import {
  isGroup,
  type PersonOfChat,
  useAdmins,
  useDoneTo,
  useFirstSeen,
  usePrivateChats,
  useWritten,
} from './use-person.ts';
import './person.css';
import '../../../parts/chips.css';

type Names = { username?: string | undefined; first_name?: string | undefined; last_name?: string | undefined };

/** Who somebody in a chat is, what was noted about them, and what can be done. */
export function PersonPanel(person: PersonOfChat): ReactNode {
  const { person: words } = useWords();
  const written = useWritten(person);
  const admins = useAdmins(person);
  const admin = admins.data?.find(({ id }) => id === person.userId);
  const names: Names = written.data?.rows[0] ?? admin ?? {};
  return (
    <section className="person" aria-label={words.title}>
      <header className="person-head">
        <h2 className="cut">
          <bdi>{written.isPending ? '' : personName({ ...names, id: person.userId })}</bdi>
        </h2>
        {names.username && <bdi className="muted cut">@{names.username}</bdi>}
        {admin && <span className="chip">{admin.custom_title || words.statuses[admin.status]}</span>}
      </header>
      {written.isError && <Failure error={written.error} retry={() => void written.refetch()} />}
      {!written.isPending && (
        <>
          <Known person={person} total={written.data?.total ?? 0} />
          <Tags person={person} />
          {isGroup(person) && person.userId > 0 && <Moderation person={person} admin={admin} error={admins.error} />}
          <AlsoWith person={person} name={names.username ?? names.first_name} />
          <DoneTo person={person} />
          <Link
            to="/bots/$id/chats/$chat/people"
            params={{ id: String(person.botId), chat: String(person.chatId) }}
            className="all-people"
          >
            {words.allPeople}
          </Link>
        </>
      )}
    </section>
  );
}

function Known({ person, total }: { person: PersonOfChat; total: number }): ReactNode {
  const { person: words } = useWords();
  const number = useNumber();
  const first = useFirstSeen(person, total).data?.[0];
  return (
    <Facts
      rows={[
        [words.id, <code key="id">{person.userId}</code>],
        [words.messages, number(total)],
        [words.firstSeen, first ? <Moment key="first" at={new Date(first.date * 1_000).toISOString()} /> : '–'],
      ]}
    />
  );
}

/** Other bots that the person writes with. */
function AlsoWith({ person, name }: { person: PersonOfChat; name: string | undefined }): ReactNode {
  const { person: words } = useWords();
  const chats = usePrivateChats(person.userId, name).data ?? [];
  const elsewhere = chats.filter(({ id, bot_id: bot }) => id !== person.chatId || bot !== person.botId);
  if (elsewhere.length === 0) return null;
  const links = elsewhere.map(({ id, bot_id: bot }) => (
    <div key={bot}>
      <ChatLink botId={bot} chatId={id}>
        <BotName id={bot} />
      </ChatLink>
    </div>
  ));
  return <Facts rows={[[words.alsoWith, links]]} />;
}

function BotName({ id }: { id: number }): ReactNode {
  return <bdi>{useBotName(String(id))}</bdi>;
}

/** What was done to the person here, and by whom. */
function DoneTo({ person }: { person: PersonOfChat }): ReactNode {
  const words = useWords();
  const done = useDoneTo(person);
  if (done.isError) return <Failure error={done.error} retry={() => void done.refetch()} />;
  if (done.data === undefined || done.data.length === 0) return null;
  return (
    <section aria-labelledby="done-to">
      <h3 id="done-to">{words.person.doneTo}</h3>
      <ul className="done-to">
        {done.data.map((entry) => (
          <li key={entry.id}>
            <span>{words.audit.actions[entry.action]}</span>
            <span className="muted">
              <Actor entry={entry} /> · <Moment at={new Date(entry.date * 1_000).toISOString()} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
