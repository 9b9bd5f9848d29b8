import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Ago } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useSession } from '../../session.tsx';
import { useBot } from '../bot/use-bot.ts';
import { Decisions } from './decisions.tsx';
import { RuleForm } from './rule-form.tsx';
import { RuleText, useCondition } from './rule-text.tsx';
import { useRulesWords } from './rules-words.ts';
import { type Tried, TryMessage } from './try-message.tsx';
import { useRuleOrder } from './use-rule-order.ts';
import { Verdict } from './verdict.tsx';
import './rules.css';

type Rule = RoutingRuleResource;

const NONE: readonly Rule[] = [];

/** The routing rules of a bot in their order, and which of them a message would meet. */
export function Rules(): ReactNode {
  const { data: bot } = useBot();
  return bot && <RulesOf key={bot.id} botId={bot.id} />;
}

function RulesOf({ botId }: { botId: number }): ReactNode {
  const words = useRulesWords();
  const { account } = useSession();
  const isAdmin = account.role === 'admin';
  const [tried, setTried] = useState<Tried | null>(null);
  const [adding, setAdding] = useState(false);
  const rules = useQuery({
    queryKey: ['rules', botId],
    queryFn: ({ signal }) => call('listRoutingRules', { bot_id: botId }, signal),
    refetchInterval: REFRESH_MS,
  });
  const isEmpty = rules.data?.length === 0;
  const order = useRuleOrder(botId, rules.data ?? NONE);
  return (
    <div className="rules">
      <section className="panel" aria-labelledby="rules">
        <header className="rules-head">
          <h2 id="rules">{words.title}</h2>
          <p className="muted">{words.hint}</p>
          {isAdmin && !isEmpty && <Button onClick={() => setAdding(true)}>{words.add}</Button>}
        </header>
        {rules.isError && <Failure error={rules.error} retry={() => void rules.refetch()} />}
        {isEmpty && (
          <Empty title={words.empty} hint={words.emptyHint}>
            {isAdmin && (
              <Button kind="primary" onClick={() => setAdding(true)}>
                {words.add}
              </Button>
            )}
          </Empty>
        )}
        {order.error && <Failure error={order.error} />}
        <ol ref={order.list} className="rule-list">
          {order.shown.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              isAdmin={isAdmin}
              order={isAdmin && order.shown.length > 1 ? order : null}
              tried={tried?.find(({ route_id: id }) => id === rule.id)}
            />
          ))}
        </ol>
        <p role="status" className="unseen">
          {order.moved && words.place(order.moved.place, order.shown.length)}
        </p>
      </section>
      {rules.data?.some(({ condition_type: type }) => type === 'llm') && <Decisions bot_id={botId} />}
      {/* Below rows that come, it would move from under the pointer. */}
      {!rules.isPending && <TryMessage botId={botId} told={setTried} tried={tried} />}
      {adding && <RuleForm botId={botId} rule={null} close={() => setAdding(false)} />}
    </div>
  );
}

type Order = ReturnType<typeof useRuleOrder>;
type RowProps = { rule: Rule; isAdmin: boolean; tried: Tried[number] | undefined; order: Order | null };

function RuleRow({ rule, isAdmin, tried, order }: RowProps): ReactNode {
  const rulesWords = useRulesWords();
  const [over, setOver] = useState<'edit' | 'remove' | null>(null);
  const condition = useCondition(rule);
  return (
    <li
      className={`rule ${rule.enabled ? '' : 'off'} ${order?.draggedId === rule.id ? 'dragged' : ''}`}
      data-rule={rule.id}
      {...order?.drag(rule.id)}
    >
      <div className="rule-text">
        <p>
          <RuleText rule={rule} />
        </p>
        {rule.condition_type === 'llm' && <p className="muted">{rulesWords.fallbackHint}</p>}
        {rule.description && <p className="muted">{rule.description}</p>}
        {tried && <Verdict tried={tried} />}
      </div>
      <Hits rule={rule} />
      {isAdmin ? (
        <div className="actions">
          {order && <Move rule={rule} order={order} name={condition} />}
          <Toggle rule={rule} name={condition} />
          <Button onClick={() => setOver('edit')}>{rulesWords.edit}</Button>
          <Button kind="quiet" onClick={() => setOver('remove')}>
            {rulesWords.remove}
          </Button>
        </div>
      ) : (
        !rule.enabled && <span className="muted">{rulesWords.noMatch.disabled}</span>
      )}
      {over === 'edit' && <RuleForm botId={rule.source_bot_id} rule={rule} close={() => setOver(null)} />}
      {over === 'remove' && <Remove rule={rule} condition={condition} close={() => setOver(null)} />}
    </li>
  );
}

/** On how many messages the rule has acted, and when it last did. */
function Hits({ rule }: { rule: Rule }): ReactNode {
  const words = useRulesWords();
  return (
    <p className="rule-hits" title={words.hitsHint}>
      {words.hits(rule.hits)}
      {rule.last_hit_at !== null && (
        <span className="muted">
          <Ago at={rule.last_hit_at} />
        </span>
      )}
    </p>
  );
}

/** Moves the rule by a press, also where nothing can be dragged. */
function Move({ rule, order, name }: { rule: Rule; order: Order; name: string }): ReactNode {
  const words = useRulesWords();
  const at = order.shown.indexOf(rule);
  const last = order.shown.length - 1;
  return (
    <span className="rule-moves" title={words.drag}>
      <Button
        kind="quiet"
        className="icon-only up"
        data-step={-1}
        aria-label={words.moveUp(name)}
        aria-disabled={at === 0 || undefined}
        onClick={() => order.move(rule.id, -1)}
      >
        <Icon name="down" />
      </Button>
      <Button
        kind="quiet"
        className="icon-only"
        data-step={1}
        aria-label={words.moveDown(name)}
        aria-disabled={at === last || undefined}
        onClick={() => order.move(rule.id, 1)}
      >
        <Icon name="down" />
      </Button>
    </span>
  );
}

function Toggle({ rule, name }: { rule: Rule; name: string }): ReactNode {
  const words = useRulesWords();
  const queries = useQueryClient();
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => call('updateRoutingRule', { id: rule.id, enabled }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['rules'] }),
  });
  const isOn = toggle.isPending ? toggle.variables : rule.enabled;
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          aria-label={words.toggle(name)}
          checked={isOn}
          onChange={(event) => toggle.mutate(event.target.checked)}
        />
        <span aria-hidden="true">{words.enabled}</span>
      </label>
      {toggle.isError && <Failure error={toggle.error} />}
    </>
  );
}

function Remove({ rule, condition, close }: { rule: Rule; condition: string; close: () => void }): ReactNode {
  const rulesWords = useRulesWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('deleteRoutingRule', { id: rule.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['rules'] });
      close();
    },
  });
  return (
    <Confirm
      title={rulesWords.removeTitle}
      description={condition}
      act={rulesWords.remove.replace('…', '')}
      danger
      run={remove.mutate}
      close={close}
      busy={remove.isPending}
      error={remove.error}
    />
  );
}
