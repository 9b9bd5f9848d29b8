import type { ReactNode } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { BackendFields } from '../bot/backend-fields.tsx';
import { KindsField } from '../bot/kinds-field.tsx';
import { SettingField } from '../bot/setting-field.tsx';
import { FilterFields } from './filter-fields.tsx';
import { useProgramsWords } from './programs-words.ts';
import type { SightProps } from './sight.ts';

type FieldsProps = SightProps & {
  /** True if the program has a secret already; its text is not known here. */
  hasSecret: boolean;
};

/** The name of a program, what it sees, and how it gets that. */
export function SightFields({ bot_id, sight, change, faults, hasSecret }: FieldsProps): ReactNode {
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
        <div className="within">
          {sight.mode === 'push' ? (
            <BackendFields backend={sight} change={change} faultOf={(name) => faults[name]} hasSecret={hasSecret} />
          ) : (
            <SettingField
              name="silent_after_s"
              value={sight.silent_after_s}
              change={change}
              fault={faults.silent_after_s}
            />
          )}
        </div>
      </ChoiceField>
      {faults.mode && <p className="fault">{faults.mode}</p>}
      <KindsField kinds={sight.kinds} choose={(kinds) => change({ kinds })} fault={faults.kinds} />
      <FilterFields {...{ bot_id, sight, change, faults }} />
    </>
  );
}
