import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Ago, useNumber } from '../../parts/time.tsx';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { Activity } from '../activity/activity.tsx';
import { ActivityFigures } from '../activity/activity-figures.tsx';
import { useActivity } from '../activity/use-activity.ts';
import { useBotActivityLive } from '../activity/use-bot-activity-live.ts';
import { useReaders } from '../programs/use-programs.ts';
import { Attempts } from './attempts.tsx';
import { Readers } from './readers.tsx';
import { useBot } from './use-bot.ts';

const route = getRouteApi('/bots/$id/');

/** The waiting updates of the bot, its readers, and their last deliveries. */
export function Overview(): ReactNode {
  const words = useWords();
  const number = useNumber();
  const { range } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: bot } = useBot();
  const { data: points, isPending } = useActivity(bot?.id ?? null, range ?? 'hour', bot !== undefined);
  useBotActivityLive(bot?.id);
  const readers = useReaders(bot?.id);
  // Figures and readers stand above all else, and would push it away.
  if (bot === undefined || isPending || readers.isPending) return <Awaited />;
  const { id, pending_update_count: pending, last_update_at } = bot;
  const { over, now } = words.fleet;
  return (
    <>
      <section className="figures" aria-label={words.bot.figures}>
        {points && (
          <div>
            <p className="muted over">{over[range ?? 'hour']}</p>
            <dl>
              <ActivityFigures points={points} />
            </dl>
          </div>
        )}
        <div className="now">
          <p className="muted over">{now}</p>
          <dl>
            <div>
              <dt>{words.bot.pending}</dt>
              <dd>{number(pending)}</dd>
            </div>
            <div>
              <dt>{words.bot.last}</dt>
              <dd>{last_update_at ? <Ago at={last_update_at} /> : <Never botId={id} />}</dd>
            </div>
          </dl>
        </div>
      </section>
      <Readers bot_id={id} />
      <Activity
        botId={id}
        range={range ?? 'hour'}
        choose={(chosen) =>
          void navigate({ search: (known) => ({ ...known, range: chosen }), replace: true, resetScroll: false })
        }
      />
      <Attempts botId={id} />
    </>
  );
}

/** Shapes of what comes. */
function Awaited(): ReactNode {
  return ['figures', 'readers', 'activity'].map((name) => (
    <div key={name} className="panel awaited" aria-hidden="true">
      <span className="shape" />
      <span className="shape" />
    </div>
  ));
}

/** Leads back to where a program is connected. */
function Never({ botId }: { botId: number }): ReactNode {
  const words = useWords();
  if (!seesWholeFleet(useSession().account)) return words.fleet.never;
  return (
    <Link to="/bots/add" search={{ bot: String(botId) }}>
      {words.bot.connect}
    </Link>
  );
}
