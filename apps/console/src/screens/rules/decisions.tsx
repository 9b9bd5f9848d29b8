import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { type Answer, call } from '../../call.ts';
import { atOnceAndAfter } from '../../live/at-once-and-after.ts';
import { useLive } from '../../live.ts';
import { useBotName } from '../../parts/bot-field.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Moment, useNumber } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useRulesWords } from './rules-words.ts';

type Decision = Answer<'listRouteDecisions'>[number];

const SHOWN = 20;
const SETTLE_MS = 1_000;
/** In place of a bot that the account does not see. */
const UNSEEN_BOT = 0;

export function Decisions({ bot_id }: { bot_id: number }): ReactNode {
  const words = useRulesWords().decisions;
  const queries = useQueryClient();
  const decisions = useQuery({
    queryKey: ['decisions', bot_id],
    queryFn: ({ signal }) => call('listRouteDecisions', { bot_id, limit: SHOWN }, signal),
    refetchInterval: REFRESH_MS,
  });
  const askAgain = useMemo(
    () => atOnceAndAfter(SETTLE_MS, () => void queries.invalidateQueries({ queryKey: ['decisions', bot_id] })),
    [queries, bot_id],
  );
  useLive([`bot:${bot_id}`], ({ name }) => name === 'route' && askAgain());
  return (
    <section className="panel" aria-labelledby="decisions">
      <h2 id="decisions">{words.title}</h2>
      <p className="muted">{words.hint}</p>
      {decisions.isError && <Failure error={decisions.error} retry={() => void decisions.refetch()} />}
      {decisions.data?.length === 0 && <Empty title={words.empty} />}
      <ul className="decision-list">
        {decisions.data?.map((decision) => (
          <li key={`${decision.at} ${decision.chat_id}`} className="decision">
            <Moment at={decision.at} />
            <ChatLink bot_id={bot_id} chat_id={decision.chat_id} />
            <Decided decision={decision} sticky={decision.sticky} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type DecidedProps = { decision: Omit<Decision, 'at' | 'route_id' | 'chat_id' | 'sticky'>; sticky?: boolean };

/** The chosen bot, why, and by whom. */
export function Decided({ decision, sticky = false }: DecidedProps): ReactNode {
  const words = useRulesWords().decisions;
  const number = useNumber();
  const { target_bot_id: target, reason, by, duration_ms: tookMs } = decision;
  const isSeen = target !== null && target !== UNSEEN_BOT;
  const name = useBotName(isSeen ? String(target) : undefined);
  return (
    <span className="decided">
      <b>
        <StateMark state={target === null ? 'disabled' : 'ok'} />{' '}
        {isSeen ? <bdi>{name}</bdi> : target === null ? words.none : words.unseen}
      </b>{' '}
      <Told text={reason} className="reason" />{' '}
      <span className="muted">· {sticky ? words.sticky : words.by[by](number(tookMs))}</span>
    </span>
  );
}
