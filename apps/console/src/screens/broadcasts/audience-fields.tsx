import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { call } from '../../call.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, SelectField, TextArea } from '../../parts/field.tsx';
import { MomentField } from '../../parts/filters.tsx';
import { useNumber } from '../../parts/time.tsx';
import { BROADCASTS } from './use-broadcasts.ts';
import '../../parts/chips.css';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { ACTIVES, audienceOf, type Draft, type DraftFaults, TYPES } from './draft.ts';
import { ListField } from './list-field.tsx';
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
          ['list', words.byList],
          ['ids', words.byIds],
          ...(draft.failures === undefined ? [] : [['failures', words.byFailures(draft.failures.id)] as const]),
        ]}
        value={draft.by}
        choose={(by) => change({ by })}
      />
      {draft.by === 'types' && <Types {...props} />}
      {draft.by === 'list' && <ListField list={draft.list} fault={faults.list} choose={(list) => change({ list })} />}
      {draft.by !== 'ids' && <Narrowing {...props} />}
      {draft.by === 'ids' && (
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
        on={draft.exclude_blocked}
        toggle={(exclude_blocked) => change({ exclude_blocked })}
      />
      <Count draft={draft} />
    </section>
  );
}

function Types({ draft, change, faults }: FieldsProps): ReactNode {
  const { form: words, types } = useBroadcastsWords();
  const toggle = (type: Draft['types'][number], on: boolean) =>
    change({ types: TYPES.filter((one) => (one === type ? on : draft.types.includes(one))) });
  return (
    <fieldset className="choice-field kinds-of-chats">
      <legend>{words.kinds}</legend>
      {TYPES.map((type) => (
        <CheckField key={type} label={types[type]} on={draft.types.includes(type)} toggle={(on) => toggle(type, on)} />
      ))}
      {faults.types && (
        <p role="alert" className="fault">
          {faults.types}
        </p>
      )}
    </fieldset>
  );
}

/** Tags and languages that people have, with how many, and when they last wrote. */
function Narrowing({ draft, change, faults }: FieldsProps): ReactNode {
  const { form: words } = useBroadcastsWords();
  const choices = useQuery({
    queryKey: [BROADCASTS, 'choices', draft.bot],
    queryFn: ({ signal }) => call('listAudienceChoices', { bot_id: draft.bot! }, signal),
    enabled: draft.bot !== undefined,
  });
  const tags = draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const hasTag = (tag: string) => tags.some((one) => one.toLowerCase() === tag.toLowerCase());
  const toggleTag = (tag: string) => {
    const left = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase());
    change({ tags: (hasTag(tag) ? left : [...tags, tag]).join(', ') });
  };
  const toggleLanguage = (code: string) =>
    change({
      languages: draft.languages.includes(code)
        ? draft.languages.filter((one) => one !== code)
        : [...draft.languages, code],
    });
  const names = new Intl.DisplayNames([document.documentElement.lang], { type: 'language', fallback: 'code' });
  const languages = choices.data?.languages ?? [];
  return (
    <>
      <Field
        label={words.tags}
        hint={words.tagsHint}
        dir="auto"
        autoComplete="off"
        value={draft.tags}
        onChange={(event) => change({ tags: event.target.value })}
      />
      <Suggestions
        label={words.tagsOfPeople}
        choices={(choices.data?.tags ?? []).map(({ tag, people }) => ({
          key: tag,
          name: tag,
          people,
          on: hasTag(tag),
        }))}
        toggle={toggleTag}
      />
      {languages.length > 0 && (
        <Suggestions
          label={words.languages}
          choices={languages.map(({ language_code: code, people }) => ({
            ...{ key: code, name: names.of(code) ?? code, people, on: draft.languages.includes(code) },
          }))}
          toggle={toggleLanguage}
        />
      )}
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

type Choice = { key: string; name: string; people: number; on: boolean };
type SuggestionsProps = { label: string; choices: readonly Choice[]; toggle: (key: string) => void };

function Suggestions({ label, choices, toggle }: SuggestionsProps): ReactNode {
  const number = useNumber();
  if (choices.length === 0) return null;
  return (
    <fieldset className="choice-field">
      <legend>{label}</legend>
      <div className="chips">
        {choices.map(({ key, name, people, on }) => (
          <button key={key} type="button" className="chip choice" aria-pressed={on} onClick={() => toggle(key)}>
            <bdi className="cut">{name}</bdi> <span className="muted">{number(people)}</span>
          </button>
        ))}
      </div>
    </fieldset>
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
