import type { ReactNode } from 'react';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { LifetimeField } from '../../parts/lifetime-field.tsx';
import type { Faults } from '../../parts/use-form.ts';
import { useSession } from '../../session.tsx';
import { ChatsField } from './chats-field.tsx';
import { useProgramsWords } from './programs-words.ts';
import { GROUPS, NEW_RIGHTS, type Rights } from './rights.ts';
import { TopicsField } from './topics-field.tsx';

type FieldsProps = {
  bot_id: number;
  rights: Rights;
  change: (changed: Partial<Rights>) => void;
  faults: Faults;
  /** True if the program asks for its updates. */
  polls: boolean;
};

/** The rights of a token: its methods, its chats, how often, and how long. */
export function RightsFields({ bot_id, rights, change, faults, polls }: FieldsProps): ReactNode {
  const words = useProgramsWords().rights;
  return (
    <>
      <MethodsField rights={rights} change={change} fault={faults.methods} polls={polls} />
      <ChatsField bot_id={bot_id} chats={rights.chats} choose={(chats) => change({ chats })} fault={faults.chats} />
      {rights.chats?.length === 1 && (
        <TopicsField
          bot_id={bot_id}
          label={words.threads}
          hint={words.threadsHint}
          chats={rights.chats}
          threads={rights.threads}
          choose={(threads) => change({ threads })}
          fault={faults.threads}
        />
      )}
      <div className="two">
        <Field
          label={words.perSecond}
          hint={words.rateHint}
          fault={faults['rate.per_second'] ?? faults.rate}
          inputMode="numeric"
          autoComplete="off"
          value={rights.per_second}
          onChange={(event) => change({ per_second: event.target.value.trim() })}
        />
        <Field
          label={words.perMinute}
          fault={faults['rate.per_minute']}
          inputMode="numeric"
          autoComplete="off"
          value={rights.per_minute}
          onChange={(event) => change({ per_minute: event.target.value.trim() })}
        />
      </div>
      <LifetimeField
        lifetime={rights.lifetime}
        choose={(lifetime) => change({ lifetime })}
        neverHint={words.neverHint}
        fault={faults.expires_at}
      />
    </>
  );
}

type MethodsProps = Pick<FieldsProps, 'rights' | 'change' | 'polls'> & { fault: string | undefined };

function MethodsField({ rights: { groups, others }, change, fault, polls }: MethodsProps): ReactNode {
  const words = useProgramsWords().rights;
  const { role } = useSession().account;
  const isBlind = polls && groups !== null && !groups.includes('read') && !/getUpdates/i.test(others);
  return (
    <ChoiceField
      label={words.calls}
      options={[
        ['all', role === 'admin' ? words.everything : words.everythingOfRole],
        ['some', words.some, words.always],
      ]}
      value={groups === null ? 'all' : 'some'}
      choose={(chosen) => change({ groups: chosen === 'all' ? null : NEW_RIGHTS.groups })}
    >
      {groups !== null && (
        <div className="within">
          <fieldset className="groups">
            <legend className="unseen">{words.groups}</legend>
            {GROUPS.map((group) => (
              <CheckField
                key={group}
                label={words.groupNames[group]}
                hint={words.groupHints[group]}
                on={groups.includes(group)}
                toggle={(on) => change({ groups: GROUPS.filter((one) => (one === group ? on : groups.includes(one))) })}
              />
            ))}
          </fieldset>
          <Field
            label={words.others}
            hint={isBlind ? words.noUpdates : words.othersHint}
            fault={fault}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            value={others}
            onChange={(event) => change({ others: event.target.value })}
          />
        </div>
      )}
    </ChoiceField>
  );
}
