import type {
  ConditionType,
  RoutingAction,
  RoutingDelivery,
  RoutingRuleResource,
} from '@flotilla/contract/routing-rules.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { BotsField } from '../../parts/bots-field.tsx';
import { Button } from '../../parts/button.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { PersonField } from '../../parts/person-field.tsx';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { useWords } from '../../words/words.tsx';
import {
  changesOf,
  type Draft,
  draftOf,
  type Faults,
  inputOf,
  localFaults,
  OF_ROUTER,
  sendsMessages,
  valueUnder,
} from './rule-draft.ts';
import { useRulesWords } from './rules-words.ts';
import { TopicFields } from './topic-fields.tsx';

const CONDITIONS = [
  ...['all', 'keyword', 'text', 'chat_id', 'thread_id', 'user_id', 'llm'],
] as const satisfies readonly ConditionType[];
const ACTIONS = ['forward', 'copy', 'drop', 'hold'] as const satisfies readonly RoutingAction[];
const DELIVERIES = ['at_least_once', 'at_most_once'] as const satisfies readonly RoutingDelivery[];

const FIELDS = [
  'condition_value',
  'target_bot_id',
  'candidate_bot_ids',
  'target_chat_id',
  'action_minutes',
  'description',
];

type FormProps = { botId: number; rule: RoutingRuleResource | null; close: () => void };

/** Adds a rule, or changes one. */
export function RuleForm({ botId, rule, close }: FormProps): ReactNode {
  const words = useWords();
  const rulesWords = useRulesWords();
  const { form } = rulesWords;
  const queries = useQueryClient();
  const [known] = useState(() => draftOf(botId, rule));
  const [draft, setDraft] = useState(known);
  const [local, setLocal] = useState<Faults>({});
  const fields = useRef<HTMLFormElement>(null);
  const save = useMutation({
    mutationFn: async () => {
      const changes = changesOf(draft, known);
      if (rule === null) await call('addRoutingRule', { source_bot_id: botId, ...inputOf(draft) });
      else if (Object.keys(changes).length > 0) await call('updateRoutingRule', { id: rule.id, ...changes });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['rules'] });
      close();
    },
  });
  const change = (changes: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    setLocal({});
    if (save.isError) save.reset();
  };
  const submit = () => {
    const found = localFaults(draft, words.errors.required);
    setLocal(found);
    if (Object.keys(found).length === 0 && !save.isPending) save.mutate();
  };
  const { faults: refused, other } = faultsOf(save.error, FIELDS);
  const faults: Faults = { ...refused, ...local };
  useFirstFault(fields, save.error ?? local);
  const { condition, action } = draft;
  return (
    <Dialog title={rule === null ? form.add : form.edit} close={close}>
      <form
        ref={fields}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SelectField
          label={form.condition}
          options={CONDITIONS.map((one) => [one, form.conditionTypes[one]] as const)}
          value={condition}
          choose={(chosen) =>
            change({ condition: chosen, value: valueUnder(chosen, draft), ...(chosen === 'llm' ? OF_ROUTER : {}) })
          }
        />
        {condition === 'chat_id' && (
          <ChatField
            label={form.value.chat_id}
            hint={form.valueHints.chat_id}
            fault={faults.condition_value}
            botId={botId}
            chatId={draft.value}
            choose={(value = '') => change({ value })}
          />
        )}
        {condition === 'user_id' && (
          <PersonField
            label={form.value.user_id}
            hint={form.valueHints.user_id}
            fault={faults.condition_value}
            botId={botId}
            userId={draft.value}
            choose={(value = '') => change({ value })}
          />
        )}
        {condition === 'thread_id' && (
          <TopicFields
            fault={faults.condition_value}
            botId={botId}
            value={draft.value}
            choose={(value) => change({ value })}
          />
        )}
        {(condition === 'keyword' || condition === 'text' || condition === 'llm') && (
          <Field
            label={form.value[condition]}
            hint={form.valueHints[condition]}
            fault={faults.condition_value}
            required={condition !== 'llm'}
            dir="auto"
            value={draft.value}
            onChange={(event) => change({ value: event.target.value })}
          />
        )}
        <SelectField
          label={form.action}
          options={ACTIONS.filter((one) => condition !== 'llm' || sendsMessages(one)).map(
            (one) => [one, `${rulesWords.actions[one]}: ${rulesWords.actionHints[one]}`] as const,
          )}
          value={action}
          choose={(chosen) => change({ action: chosen })}
        />
        {action === 'hold' && (
          <Field
            label={form.minutes}
            hint={form.minutesHint}
            fault={faults.action_minutes}
            required
            inputMode="numeric"
            value={draft.minutes}
            onChange={(event) => change({ minutes: event.target.value })}
          />
        )}
        {sendsMessages(action) && (
          <>
            {condition === 'llm' ? (
              <BotsField
                label={form.candidates}
                all={form.allCandidates}
                fault={faults.candidate_bot_ids ?? faults.target_bot_id}
                bots={draft.candidates}
                choose={(candidates) => change({ candidates })}
              />
            ) : (
              <BotField
                label={form.targetBot}
                fault={faults.target_bot_id}
                botId={draft.targetBot}
                choose={(targetBot) => change({ targetBot })}
              />
            )}
            <ChatField
              label={form.targetChat}
              hint={form.targetChatHint}
              fault={faults.target_chat_id}
              botId={Number(draft.targetBot ?? botId)}
              chatId={draft.targetChat}
              none={{ id: '0', name: rulesWords.chatOfMessage }}
              choose={(targetChat = '') => change({ targetChat })}
            />
            <SelectField
              label={form.delivery}
              options={DELIVERIES.map((one) => [one, form.deliveries[one]] as const)}
              value={draft.delivery}
              choose={(delivery) => change({ delivery })}
            />
          </>
        )}
        <Field
          label={form.description}
          fault={faults.description}
          dir="auto"
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <CheckField label={rulesWords.enabled} on={draft.enabled} toggle={(enabled) => change({ enabled })} />
        {other && <Failure error={other} />}
        <div className="dialog-actions">
          <Button onClick={close}>{words.cancel}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {form.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
