import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../../call.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { botQuery } from '../../parts/bot-query.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import type { conditionsOf } from './delivery-filter.ts';

export type Act = 'redrive' | 'discard';
/** Failed deliveries by their ids, or all that a filter matches. */
export type Chosen = { ids: number[] } | { filter: ReturnType<typeof conditionsOf> };
export type JobAnswer = Answer<'discardDeliveries'>;

const BOTS_SHOWN = 8;
const act = (name: Act, input: Chosen & { dry_run?: boolean; upto_id?: number }): Promise<JobAnswer> =>
  name === 'redrive' ? call('redriveDeliveries', input) : call('discardDeliveries', input);

type ActProps = { name: Act; chosen: Chosen; close: () => void; begun: (answer: JobAnswer) => void };

/** Counts what an act would do, by bot, and asks before it is done. */
export function ActOnLetters({ name, chosen, close, begun }: ActProps): ReactNode {
  const deliveriesWords = useDeliveriesWords();
  const queries = useQueryClient();
  const texts = name === 'redrive' ? deliveriesWords.redrive : deliveriesWords.discarding;
  const counted = useQuery({
    queryKey: ['deliveries', 'count', name, chosen],
    queryFn: () => act(name, { ...chosen, dry_run: true }),
    gcTime: 0,
  });
  const running = useMutation({
    // Letters that died since they were counted were not agreed to.
    mutationFn: (upto: number | undefined) => act(name, upto === undefined ? chosen : { ...chosen, upto_id: upto }),
    onSuccess: (answer) => {
      begun(answer);
      void queries.invalidateQueries();
    },
  });
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const count = counted.data;
  const able = count === undefined ? 0 : count.matched - count.refused;
  // Nobody has seen all that a filter matches, and nothing brings it back.
  const asksNumber = name === 'discard' && 'filter' in chosen && able > 0;
  const run = () => {
    const matches = !asksNumber || typed.replace(/\D/g, '') === String(able);
    setWrong(!matches);
    if (matches) able > 0 ? running.mutate(count?.upto_id) : close();
  };
  return (
    <Confirm
      title={count === undefined ? texts.submit : texts.title(able)}
      description={count?.matched === 0 ? deliveriesWords.none : texts.hint}
      act={texts.submit}
      danger={name === 'discard'}
      run={run}
      close={close}
      busy={running.isPending || counted.isPending}
      error={running.error}
    >
      {counted.isPending && <p className="muted">{deliveriesWords.counting}</p>}
      {counted.isError && <Failure error={counted.error} retry={() => void counted.refetch()} />}
      {count && <Breakdown count={count} warns={name === 'redrive'} />}
      {asksNumber && (
        <Field
          label={deliveriesWords.discarding.number(able)}
          fault={isWrong ? deliveriesWords.discarding.wrongNumber : null}
          autoFocus
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Confirm>
  );
}

function Breakdown({ count, warns }: { count: JobAnswer; warns: boolean }): ReactNode {
  const words = useDeliveriesWords();
  const bots = count.bots ?? [];
  return (
    <>
      <ul className="by-bot">
        {bots.slice(0, BOTS_SHOWN).map(({ bot_id: id, count: own }) => (
          <li key={id}>
            <BotName id={id} /> <span className="end">{words.ofBot(own)}</span>
            {warns && <BotWarning id={id} />}
          </li>
        ))}
        {bots.length > BOTS_SHOWN && <li className="muted">{words.moreBots(bots.length - BOTS_SHOWN)}</li>}
      </ul>
      {count.refused > 0 && (
        <div className="refusals">
          <p>{words.redrive.refused(count.refused)}</p>
          <ul>
            {count.refusals.map(({ bot_id: id, reader, count: refused, code }) => (
              <li key={`${id} ${reader}`}>
                <BotName id={id} />: {refused}. {words.refusals[code]}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The reason for which the updates of this bot would not reach its backend now. */
function BotWarning({ id }: { id: number }): ReactNode {
  const words = useDeliveriesWords();
  const { data: bot } = useQuery({ ...botQuery(String(id)), retry: false });
  if (bot === undefined || (!bot.disabled && bot.backend_state !== 'open')) return null;
  return (
    <p className="warning">
      <Icon name="warning" />
      {bot.disabled ? words.botDisabled : words.backendDown(bot.pending_update_count)}
    </p>
  );
}
