import type { ReactNode } from 'react';
import { ChatsOfBot } from '../../parts/chats-field.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import type { Faults } from '../../parts/use-form.ts';
import { CHAT_TYPES, type Filter, NEW_FILTER } from './filter.ts';
import { useProgramsWords } from './programs-words.ts';
import type { SightProps } from './sight.ts';
import { TopicsField } from './topics-field.tsx';

/** Which updates of its kinds a program gets, and whether it takes them alone. */
export function FilterFields({ bot_id, sight, change, faults }: SightProps): ReactNode {
  const words = useProgramsWords().filter;
  const { filter, exclusive } = sight;
  return (
    <>
      <ChoiceField
        label={words.which}
        options={[
          ['all', words.all],
          ['some', words.some, words.someHint],
        ]}
        value={filter === null ? 'all' : 'some'}
        choose={(chosen) => change({ filter: chosen === 'all' ? null : NEW_FILTER })}
      >
        {filter !== null && (
          <Conditions
            bot_id={bot_id}
            filter={filter}
            change={(changed) => change({ filter: { ...filter, ...changed } })}
            faults={faults}
          />
        )}
      </ChoiceField>
      {filter === null && faults['filter.chat_ids'] && <p className="fault">{faults['filter.chat_ids']}</p>}
      <CheckField
        label={words.exclusive}
        hint={words.exclusiveHint}
        on={exclusive}
        toggle={(on) => change({ exclusive: on })}
      />
      {faults.exclusive && <p className="fault">{faults.exclusive}</p>}
      {exclusive && (
        <Field
          label={words.order}
          hint={words.orderHint}
          fault={faults.order}
          type="number"
          min={1}
          max={1000}
          value={sight.order}
          onChange={(event) => change({ order: event.target.value })}
        />
      )}
      <CheckField
        label={words.seesHeld}
        hint={words.seesHeldHint}
        on={sight.sees_held}
        toggle={(on) => change({ sees_held: on })}
      />
    </>
  );
}

/** Each with the input that it fills. */
const TEXT_FIELDS = [
  ['users', 'filter.user_ids'],
  ['commands', 'filter.commands'],
  ['keyword', 'filter.keyword'],
  ['text', 'filter.text'],
] as const;

type ConditionsProps = {
  bot_id: number;
  filter: Filter;
  change: (changed: Partial<Filter>) => void;
  faults: Faults;
};

function Conditions({ bot_id, filter, change, faults }: ConditionsProps): ReactNode {
  const words = useProgramsWords().filter;
  const { chats, types } = filter;
  return (
    <div className="within">
      <ChatsOfBot
        bot_id={bot_id}
        label={words.chats}
        hint={words.chatsHint}
        chats={chats}
        choose={(chosen) => change({ chats: chosen })}
        fault={faults['filter.chat_ids'] ?? faults.filter}
      />
      <CheckField
        label={words.boundOnly}
        hint={words.boundOnlyHint}
        on={filter.bound_only}
        toggle={(on) => change({ bound_only: on })}
      />
      <TopicsField
        bot_id={bot_id}
        label={words.threads}
        hint={words.threadsHint}
        chats={chats}
        threads={filter.threads}
        choose={(threads) => change({ threads })}
        fault={faults['filter.thread_ids']}
      />
      <fieldset className="groups narrow-groups">
        <legend>{words.types}</legend>
        {CHAT_TYPES.map((type) => (
          <CheckField
            key={type}
            label={words.typeNames[type]}
            on={types.includes(type)}
            toggle={(on) => change({ types: CHAT_TYPES.filter((one) => (one === type ? on : types.includes(one))) })}
          />
        ))}
      </fieldset>
      {TEXT_FIELDS.map(([name, input]) => (
        <Field
          key={name}
          label={words[name]}
          hint={words.hints[name]}
          fault={faults[input]}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          dir="auto"
          value={filter[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
    </div>
  );
}
