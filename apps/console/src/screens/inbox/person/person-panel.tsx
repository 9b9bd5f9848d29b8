import type { ChatPersonResource } from '@flotilla/contract/chat-users.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { ChatLink } from '../../../parts/chat-link.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { personName } from '../../../parts/person-name.ts';
import { photoOfAuthor, photoOfChat } from '../../../parts/photos.ts';
import { Moment, useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';
import { Actor } from '../../audit/actor.tsx';
import { Moderation } from './moderation.tsx';
import { Tags } from './tags.tsx';
import { isGroup, type PersonOfChat, useAdmins, useChatPerson } from './use-person.ts';
import './person.css';
import '../../../parts/chips.css';

type Names = { username?: string | undefined; first_name?: string | undefined; last_name?: string | undefined };

/** Who somebody in a chat is, what was noted about them, and what can be done. */
export function PersonPanel(person: PersonOfChat): ReactNode {
  const { person: words } = useWords();
  const known = useChatPerson(person);
  const admins = useAdmins(person);
  const admin = admins.data?.find(({ id }) => id === person.user_id);
  const names: Names = hasName(known.data) ? known.data : (admin ?? {});
  return (
    <section className="person" aria-label={words.title}>
      <header className="person-head">
        <Avatar
          name={personName({ ...names, id: person.user_id })}
          id={person.user_id}
          photo={photoOf(person, known.data)}
        />
        <h2 className="cut">
          <bdi>{known.isPending ? '' : personName({ ...names, id: person.user_id })}</bdi>
        </h2>
        {names.username && <bdi className="muted cut">@{names.username}</bdi>}
        {admin && <span className="chip">{admin.custom_title || words.statuses[admin.status]}</span>}
      </header>
      {known.isError && <Failure error={known.error} retry={() => void known.refetch()} />}
      {known.data && (
        <>
          <Known person={known.data} />
          <Tags person={person} known={known.data} />
          {isGroup(person) && person.user_id > 0 && <Moderation person={person} admin={admin} error={admins.error} />}
          <AlsoWith person={person} known={known.data} />
          <DoneTo actions={known.data.actions} />
          <Link
            to="/bots/$id/chats/$chat/people"
            params={{ id: String(person.bot_id), chat: String(person.chat_id) }}
            className="all-people"
          >
            {words.allPeople}
          </Link>
        </>
      )}
    </section>
  );
}

function photoOf(
  { bot_id, chat_id, user_id }: PersonOfChat,
  known: ChatPersonResource | undefined,
): string | undefined {
  if (user_id === chat_id) return photoOfChat(bot_id, chat_id);
  return known && known.messages > 0 ? photoOfAuthor(bot_id, chat_id, user_id) : undefined;
}

function hasName(names: Names | undefined): names is Names {
  return (names?.first_name ?? names?.username) !== undefined;
}

function Known({ person }: { person: ChatPersonResource }): ReactNode {
  const { person: words } = useWords();
  const number = useNumber();
  const { user_id: id, messages, first_message_at: firstAt } = person;
  return (
    <Facts
      rows={[
        [words.id, <code key="id">{id}</code>],
        [words.messages, number(messages)],
        [words.firstSeen, firstAt ? <Moment key="first" at={firstAt} /> : '–'],
      ]}
    />
  );
}

/** Other bots that the person writes with. */
function AlsoWith({ person, known }: { person: PersonOfChat; known: ChatPersonResource }): ReactNode {
  const { person: words } = useWords();
  const { bot_id, chat_id, user_id } = person;
  const elsewhere = known.private_chats.filter(({ bot_id: bot }) => chat_id !== user_id || bot !== bot_id);
  if (elsewhere.length === 0) return null;
  const links = elsewhere.map(({ bot_id: bot, bot_name: name }) => (
    <div key={bot}>
      <ChatLink bot_id={bot} chat_id={user_id} className="cut also-with">
        <bdi>{name}</bdi>
      </ChatLink>
    </div>
  ));
  return <Facts rows={[[words.alsoWith, links]]} />;
}

function DoneTo({ actions }: { actions: ChatPersonResource['actions'] }): ReactNode {
  const words = useWords();
  if (actions.length === 0) return null;
  return (
    <section aria-labelledby="done-to">
      <h3 id="done-to">{words.person.doneTo}</h3>
      <ul className="done-to">
        {actions.map((entry) => (
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
