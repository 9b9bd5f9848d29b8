import { type ReactNode, useId } from 'react';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, SelectField, TextArea } from '../../parts/field.tsx';
import { MomentField } from '../../parts/filters.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { ACTIVES, audienceOf, type Draft, type DraftFaults, TYPES } from './draft.ts';
import { useAudienceCount } from './use-audience-count.ts';

type FieldsProps = { draft: Draft; change: (changes: Partial<Draft>) => void; faults: DraftFaults };

/** Who gets it, and how many chats that are now. */
export function AudienceFields(props: FieldsProps): ReactNode {
  const { form: words } = useBroadcastsWords();
  const { draft, change, faults } = props;
  const title = useId();
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{words.audience}</h2>
      <ChoiceField
        label={words.by}
        options={[
          ['types', words.byTypes],
          ['ids', words.byIds],
        ]}
        value={draft.by}
        choose={(by) => change({ by })}
      />
      {draft.by === 'types' ? (
        <ByTypes {...props} />
      ) : (
        <TextArea
          label={words.ids}
          hint={words.idsHint}
          fault={faults.ids}
          rows={4}
          dir="ltr"
          value={draft.ids}
          onChange={(event) => change({ ids: event.target.value })}
        />
      )}
      <CheckField
        label={words.excludeBlocked}
        on={draft.excludeBlocked}
        toggle={(excludeBlocked) => change({ excludeBlocked })}
      />
      <Count draft={draft} />
    </section>
  );
}

function ByTypes({ draft, change, faults }: FieldsProps): ReactNode {
  const { form: words, types } = useBroadcastsWords();
  const toggle = (type: Draft['types'][number], on: boolean) =>
    change({ types: TYPES.filter((one) => (one === type ? on : draft.types.includes(one))) });
  return (
    <>
      <fieldset className="choice-field kinds-of-chats">
        <legend>{words.kinds}</legend>
        {TYPES.map((type) => (
          <CheckField
            key={type}
            label={types[type]}
            on={draft.types.includes(type)}
            toggle={(on) => toggle(type, on)}
          />
        ))}
        {faults.types && (
          <p role="alert" className="fault">
            {faults.types}
          </p>
        )}
      </fieldset>
      <Field
        label={words.tags}
        hint={words.tagsHint}
        dir="auto"
        autoComplete="off"
        value={draft.tags}
        onChange={(event) => change({ tags: event.target.value })}
      />
      <SelectField
        label={words.active}
        options={ACTIVES.map((active) => [active, words.actives[active]] as const)}
        value={draft.active}
        choose={(active) => change({ active })}
      />
      {draft.active === 'own' && (
        <MomentField
          label={words.since}
          at={draft.since}
          choose={(since) => change({ since })}
          {...(faults.since === undefined ? {} : { fault: faults.since })}
        />
      )}
    </>
  );
}

function Count({ draft }: { draft: Draft }): ReactNode {
  const { form: words } = useBroadcastsWords();
  const { counts, isCounting, error } = useAudienceCount(draft.bot, audienceOf(draft, new Date()));
  if (error) return <Failure error={error} />;
  return (
    <p role="status" className="audience-count" aria-busy={isCounting}>
      {counts === undefined && (isCounting ? words.counting : words.countAfter)}
      {counts && <strong>{words.counted(counts.total)}</strong>}{' '}
      {counts && counts.blocked > 0 && <span className="muted">{words.blocked(counts.blocked)}</span>}
    </p>
  );
}
