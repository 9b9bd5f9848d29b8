import { type ReactNode, useId } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { MomentField } from '../../parts/filters.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import type { Draft, DraftFaults } from './draft.ts';

type FieldsProps = { draft: Draft; change: (changes: Partial<Draft>) => void; faults: DraftFaults };

/** How fast it goes out, and when it begins. */
export function TimingFields({ draft, change, faults }: FieldsProps): ReactNode {
  const { form: words } = useBroadcastsWords();
  const title = useId();
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{words.pace}</h2>
      <Field
        label={words.perSecond}
        hint={words.perSecondHint}
        fault={faults.perSecond}
        inputMode="numeric"
        autoComplete="off"
        value={draft.perSecond}
        onChange={(event) => change({ perSecond: event.target.value.trim() })}
      />
      <ChoiceField
        label={words.when}
        options={[
          ['now', words.now],
          ['later', words.later],
        ]}
        value={draft.when}
        choose={(when) => change({ when })}
      >
        {draft.when === 'later' && (
          <MomentField
            label={words.sendAt}
            at={draft.sendAt}
            choose={(sendAt) => change({ sendAt })}
            {...(faults.sendAt === undefined ? {} : { fault: faults.sendAt })}
          />
        )}
      </ChoiceField>
    </section>
  );
}
