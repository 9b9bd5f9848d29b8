import type {
  ConditionType,
  RoutingAction,
  RoutingDelivery,
  RoutingRuleResource,
} from '@flotilla/contract/routing-rules.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, callTagged } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { BotsField } from '../../parts/bots-field.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { isAbout, type Shared } from '../../parts/shared-change.ts';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import {
  changesOf,
  type Draft,
  draftOf,
  inputOf,
  localFaults,
  OF_ROUTER,
  sendsMessages,
  valueUnder,
} from './rule-draft.ts';
import { type RulesWords, useRulesWords } from './rules-words.ts';
import { TopicFields } from './topic-fields.tsx';
import { TryDraft } from './try-draft.tsx';

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
  const { draft, faults, change, text, choice, flag, asked } = useForm<Draft, RoutingRuleResource>({
    known: () => draftOf(botId, rule),
    fields: FIELDS,
    check: (now) => localFaults(now, words.errors.required),
    shared: rule ? sharedRule(rule, rulesWords) : undefined,
    async send(now, known, ifMatch) {
      const changes = changesOf(now, known);
      if (rule === null) await call('addRoutingRule', { source_bot_id: botId, ...inputOf(now) });
      else if (Object.keys(changes).length > 0) {
        await call('updateRoutingRule', { id: rule.id, ...changes }, undefined, { ifMatch });
      }
      await queries.invalidateQueries({ queryKey: ['rules'] });
      close();
    },
  });
  const { condition, action } = draft;
  return (
    <Confirm
      title={rule === null ? form.add : form.edit}
      act={form.save}
      close={close}
      className="rule-dialog"
      {...asked}
    >
      <div className="rule-fields">
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
            bot_id={botId}
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
            required={condition !== 'llm'}
            dir="auto"
            {...text('value', 'condition_value')}
          />
        )}
        <SelectField
          label={form.action}
          options={ACTIONS.filter((one) => condition !== 'llm' || sendsMessages(one)).map(
            (one) => [one, `${rulesWords.actions[one]}: ${rulesWords.actionHints[one]}`] as const,
          )}
          {...choice('action')}
        />
        {action === 'hold' && (
          <Field
            label={form.minutes}
            hint={form.minutesHint}
            required
            inputMode="numeric"
            {...text('minutes', 'action_minutes')}
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
              {...choice('delivery')}
            />
          </>
        )}
        <Field label={form.description} dir="auto" {...text('description')} />
        <CheckField label={rulesWords.enabled} {...flag('enabled')} />
      </div>
      <TryDraft source={botId} ruleId={rule?.id} draft={draft} />
    </Confirm>
  );
}

function sharedRule(
  { id, source_bot_id: source, condition_type: condition }: RoutingRuleResource,
  words: RulesWords,
): Shared<RoutingRuleResource, Draft> {
  const { form } = words;
  return {
    read: () => callTagged('showRoutingRule', { id }),
    draftOf: (rule) => draftOf(source, rule),
    names: {
      ...{
        condition: form.condition,
        value: condition === 'all' ? form.condition : form.value[condition],
        action: form.action,
        minutes: form.minutes,
      },
      ...{ targetBot: form.targetBot, candidates: form.candidates, targetChat: form.targetChat },
      ...{ delivery: form.delivery, description: form.description, enabled: words.enabled },
    },
    together: [
      ['condition', 'value'],
      ['condition', 'targetBot', 'candidates'],
      ['action', 'targetBot', 'candidates'],
      ['action', 'targetChat'],
      ['action', 'delivery'],
      ['action', 'minutes'],
    ],
    audited: { action: 'route_update', bot_id: source, isOf: isAbout('route', id) },
  };
}
