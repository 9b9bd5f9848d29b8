import type { ChatStatsResource } from '@flotilla/contract/stats.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { call, callPage } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { LateChart } from '../../parts/late-chart.tsx';
import { personName } from '../../parts/person-name.ts';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { useChatOfPage, useChatParams } from '../chat/chat.tsx';
import { ChatHeatMap } from './chat-heat-map.tsx';
import { PERIODS_OF_CHAT, startOf } from './period.ts';
import { PeriodTabs } from './period-tabs.tsx';
import { Totals } from './totals.tsx';
import './statistics.css';

const EVERY_MS = 60_000;
const route = getRouteApi('/of-chat/bots/$id/chats/$chat/statistics');

/** How much is written in a chat, by whom and when. */
export function ChatStatistics(): ReactNode {
  const { statistics: words } = useWords();
  const { bot_id, chat_id } = useChatOfPage();
  const { days = PERIODS_OF_CHAT[0] } = route.useSearch();
  const stats = useQuery({
    queryKey: ['stats', bot_id, chat_id],
    queryFn: ({ signal }) => call('showChatStats', { bot_id, chat_id }, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <div className="statistics">
      <PeriodTabs periods={PERIODS_OF_CHAT} days={days} />
      {stats.isError && <Failure error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data && <ChatTotals stats={stats.data} takenMs={stats.dataUpdatedAt} />}
      {!stats.isPending && (
        <section className="panel" aria-labelledby="messages-by-day">
          <h2 id="messages-by-day">{words.messagesByDay(Number(days))}</h2>
          <MessagesByDay bot_id={bot_id} chat_id={chat_id} count={Number(days)} />
        </section>
      )}
      {stats.data && (
        <>
          <section className="panel" aria-labelledby="today">
            <h2 id="today">{words.today}</h2>
            <HoursOfToday hourly={stats.data.hourly} />
          </section>
          <section className="panel" aria-labelledby="top-users">
            <h2 id="top-users">{words.topUsers}</h2>
            <TopUsers users={stats.data.top_users} />
          </section>
          <ChatHeatMap bot_id={bot_id} chat_id={chat_id} />
        </>
      )}
    </div>
  );
}

/** The api counts days and hours in UTC; the axis names the hour as the clock on the wall shows it. */
function HoursOfToday({ hourly }: { hourly: ChatStatsResource['hourly'] }): ReactNode {
  const { statistics: words } = useWords();
  const { at, series } = useMemo(() => {
    const values = hourly.map(({ message_count: count }) => count);
    const hours = hourly.map(({ hour }) => new Date().setUTCHours(hour, 0, 0, 0) / 1_000);
    return { at: hours, series: [{ name: words.messages, color: '--accent', values }] };
  }, [hourly, words]);
  return <LateChart label={words.today} at={at} series={series} unit={words.unitHour} draw="bars" />;
}

function ChatTotals({ stats, takenMs }: { stats: ChatStatsResource; takenMs: number }): ReactNode {
  const { statistics: words } = useWords();
  const figures = [
    [words.messages, stats.total_messages],
    [words.messagesToday, stats.today_messages],
    [words.writersToday, stats.active_users],
  ] as const;
  return <Totals figures={figures} takenMs={takenMs} />;
}

/** The api counts the messages of a time; so each day is one small question. Days that are over are asked once. */
function MessagesByDay({ bot_id, chat_id, count }: { bot_id: number; chat_id: number; count: number }): ReactNode {
  const { statistics: words } = useWords();
  const first = startOf(count, Date.now());
  const days = Array.from({ length: count + 1 }, (_, at) => {
    const day = new Date(first);
    day.setDate(day.getDate() + at);
    return Math.floor(day.getTime() / 1_000);
  });
  const counts = useQueries({
    queries: days.slice(0, -1).map((from, at) => ({
      queryKey: ['messages-of-day', bot_id, chat_id, from],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const day = { from, to: days[at + 1]! - 1, limit: 1 };
        return callPage('listMessages', { bot_id, chat_id, ...day }, signal);
      },
      staleTime: at === count - 1 ? EVERY_MS : Number.POSITIVE_INFINITY,
    })),
  });
  const failed = counts.find(({ isError }) => isError);
  if (failed?.error) return <Failure error={failed.error} retry={() => void failed.refetch()} />;
  const series = [{ name: words.messages, color: '--accent', values: counts.map(({ data }) => data?.total ?? 0) }];
  const chart = { at: days.slice(0, -1), series, unit: words.unitMessages };
  return <LateChart label={words.messagesByDay(count)} {...chart} draw="bars" isRunning />;
}

function TopUsers({ users }: { users: ChatStatsResource['top_users'] }): ReactNode {
  const { statistics: words } = useWords();
  const number = useNumber();
  const { id, chat } = useChatParams();
  const largest = Math.max(1, ...users.map(({ message_count: count }) => count));
  if (users.length === 0) return <p className="muted">{words.nobodyWrote}</p>;
  return (
    <ol className="top-users">
      {users.map((user) => (
        <li key={user.id}>
          <Link
            to="/bots/$id/chats/$chat/people"
            params={{ id, chat }}
            search={{ user: String(user.id) }}
            className="cut"
          >
            <bdi>{personName(user)}</bdi>
          </Link>
          <span className="top-bar" style={{ inlineSize: `${(user.message_count / largest) * 100}%` }} />
          <span className="end">{number(user.message_count)}</span>
        </li>
      ))}
    </ol>
  );
}
