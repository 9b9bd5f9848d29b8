import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallError, call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { StateBadge, stateOf } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { Attempts } from './attempts.tsx';
import { BotSettings } from './bot-settings.tsx';
import { Readers } from './readers.tsx';
import './bot.css';

const route = getRouteApi('/bots/$id');

/** One bot: its state, what waits, how its deliveries went, its settings. */
export function Bot(): ReactNode {
  const words = useWords();
  const { id } = route.useParams();
  const bot = useQuery({
    queryKey: ['bot', id],
    queryFn: ({ signal }) => call('showBot', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
  useTitle(bot.data?.name ?? words.nav.fleet);
  if (bot.data === undefined && isMissing(bot.error)) return <NotFound title={words.bot.gone} hint="" />;
  return (
    <div className="bot">
      <Link to="/" className="back">
        <Icon name="back" />
        {words.bot.back}
      </Link>
      {bot.isError && <Failure error={bot.error} retry={() => void bot.refetch()} />}
      {bot.data && <Overview bot={bot.data} />}
    </div>
  );
}

/** A foreign bot is answered like one that does not exist; so is an id that is no number. */
function isMissing(error: Error | null): boolean {
  return error instanceof CallError && [400, 403, 404].includes(error.status);
}

function Overview({ bot }: { bot: BotResource }): ReactNode {
  const words = useWords();
  const number = useNumber();
  const { last_update_at: lastUpdateAt, last_error: lastError, last_error_at: lastErrorAt } = bot;
  return (
    <>
      <header className="bot-head">
        <h1 className="cut">{bot.name}</h1>
        <span className="muted cut">@{bot.username}</span>
        <StateBadge state={stateOf(bot)} />
      </header>
      {lastError && (
        <p className="notice warn">
          <strong>{words.bot.lastError}:</strong> {lastError}{' '}
          {lastErrorAt && (
            <small className="muted">
              <Ago at={lastErrorAt} />
            </small>
          )}
        </p>
      )}
      <section className="figures">
        <dl>
          <div>
            <dt>{words.bot.pending}</dt>
            <dd>{number(bot.pending_update_count)}</dd>
          </div>
          <div>
            <dt>{words.bot.last}</dt>
            <dd>{lastUpdateAt ? <Ago at={lastUpdateAt} /> : words.fleet.never}</dd>
          </div>
        </dl>
      </section>
      <div className="bot-columns">
        <div className="bot-main">
          <Readers botId={bot.id} />
          <Attempts botId={bot.id} />
        </div>
        <section aria-labelledby="settings">
          <h2 id="settings">{words.bot.settings}</h2>
          <BotSettings bot={bot} />
        </section>
      </div>
    </>
  );
}
