import type { ReactNode } from 'react';
import { Field } from '../../parts/field.tsx';
import { KindsField } from '../bot/kinds-field.tsx';
import { useProgramsWords } from './programs-words.ts';
import type { Sight, SightFaults } from './sight.ts';

type FieldsProps = { sight: Sight; change: (changed: Partial<Sight>) => void; faults: SightFaults };

/** The name of a program, and what it sees. */
export function SightFields({ sight, change, faults }: FieldsProps): ReactNode {
  const words = useProgramsWords();
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
      <KindsField kinds={sight.kinds} choose={(kinds) => change({ kinds })} fault={faults.kinds} />
    </>
  );
}
