import type { EventResource } from '@flotilla/contract/events.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BotLink } from '../../parts/bot-name.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useEventsWords } from './events-words.ts';

/** For so long before and after an event its bot's events and attempts are shown. */
const AROUND_MS = 15 * 60_000;

/** One event, and the ways to what it is about. */
export function EventDetails({ event, close }: { event: EventResource; close: () => void }): ReactNode {
  const words = useEventsWords();
  const { kind, at, text, bot_id: bot, program_id: program, chat_id: chat, request_id: request } = event;
  const rows: (readonly [string, ReactNode] | null)[] = [
    [
      words.columns.at,
      <span key="at">
        <Moment at={at} />, <Ago at={at} />
      </span>,
    ],
    bot === undefined ? null : [words.columns.bot, <BotLink key="bot" id={bot} />],
    bot === undefined || program === undefined
      ? null
      : [words.program, <ProgramLink key="program" bot={String(bot)} program={String(program)} />],
    bot === undefined || chat === undefined ? null : [words.chat, <ChatLink key="chat" bot_id={bot} chat_id={chat} />],
    request === undefined ? null : [words.request, <code key="request">{request}</code>],
  ];
  return (
    <Inspector title={words.kinds[kind] ?? kind} close={close}>
      <p className="event-text">
        <Told text={text} />
      </p>
      <Facts rows={rows.filter((row) => row !== null)} />
      {bot !== undefined && <AroundIt bot={String(bot)} at={at} />}
    </Inspector>
  );
}

function AroundIt({ bot, at }: { bot: string; at: string }): ReactNode {
  const { around } = useEventsWords();
  const moment = (offsetMs: number) => new Date(Date.parse(at) + offsetMs).toISOString();
  const [before, after] = [moment(-AROUND_MS), moment(AROUND_MS)];
  return (
    <nav aria-label={around.label} className="around-event">
      <Link to="/events" search={{ bot, from: before, to: after }}>
        {around.events}
      </Link>
      <Link to="/bots/$id/deliveries" params={{ id: bot }} search={{ state: 'attempts', since: before, until: after }}>
        {around.attempts}
      </Link>
    </nav>
  );
}

function ProgramLink({ bot, program }: { bot: string; program: string }): ReactNode {
  return (
    <Link to="/bots/$id/programs" params={{ id: bot }} search={{ open: program }}>
      #{program}
    </Link>
  );
}
