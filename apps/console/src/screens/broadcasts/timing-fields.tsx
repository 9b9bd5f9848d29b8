import { type ReactNode, useId } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { minuteOf } from '../../parts/filters.tsx';
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
        fault={faults.per_second}
        inputMode="numeric"
        autoComplete="off"
        value={draft.per_second}
        onChange={(event) => change({ per_second: event.target.value.trim() })}
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
          <Field
            type="datetime-local"
            label={words.sendAt}
            hint={words.zone(new Intl.DateTimeFormat().resolvedOptions().timeZone)}
            fault={faults.send_at}
            value={draft.send_at === undefined ? '' : localTime(new Date(draft.send_at))}
            onChange={({ target }) => change({ send_at: momentOf(target.value) })}
          />
        )}
      </ChoiceField>
    </section>
  );
}

/** The form of the field: the time of the reader's zone, without naming the zone. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function momentOf(text: string): string | undefined {
  return text === '' ? undefined : minuteOf(new Date(text));
}
