import type { ReactNode } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { KindsField } from '../bot/kinds-field.tsx';
import { SecretField } from '../bot/secret-field.tsx';
import { useSettingsWords } from '../bot/settings-words.ts';
import { FilterFields } from './filter-fields.tsx';
import { useProgramsWords } from './programs-words.ts';
import type { Sight, SightFaults } from './sight.ts';

type FieldsProps = {
  botId: number;
  sight: Sight;
  change: (changed: Partial<Sight>) => void;
  faults: SightFaults;
  /** True if the program has a secret already; its text is not known here. */
  hasSecret: boolean;
};

/** The name of a program, what it sees, and how it gets that. */
export function SightFields({ botId, sight, change, faults, hasSecret }: FieldsProps): ReactNode {
  const words = useProgramsWords();
  const { modes, modeHints, mode: question } = words.wizard;
  return (
    <>
      <Field
        label={words.name}
        hint={words.nameHint}
        fault={faults.name}
        autoComplete="off"
        dir="auto"
        maxLength={64}
        value={sight.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <ChoiceField
        label={question}
        options={(['pull', 'push'] as const).map((one) => [one, modes[one], modeHints[one]] as const)}
        value={sight.mode}
        choose={(mode) => change({ mode })}
      >
        {sight.mode === 'push' && <BackendFields {...{ sight, change, faults, hasSecret }} />}
      </ChoiceField>
      <KindsField kinds={sight.kinds} choose={(kinds) => change({ kinds })} fault={faults.kinds} />
      <FilterFields {...{ botId, sight, change, faults }} />
    </>
  );
}

function BackendFields({ sight, change, faults, hasSecret }: Omit<FieldsProps, 'botId'>): ReactNode {
  const words = useSettingsWords();
  return (
    <div className="within">
      <Field
        label={words.url}
        hint={words.urlHint}
        fault={faults.backend_url}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        value={sight.url}
        onChange={(event) => change({ url: event.target.value })}
      />
      <SecretField
        isSet={hasSecret}
        typed={sight.secret}
        type={(secret) => change({ secret })}
        fault={faults.secret_token}
      />
      <Field
        label={words.connections}
        hint={words.connectionsHint}
        fault={faults.max_connections}
        type="number"
        min={1}
        max={100}
        value={sight.connections}
        onChange={(event) => change({ connections: event.target.value })}
      />
    </div>
  );
}
