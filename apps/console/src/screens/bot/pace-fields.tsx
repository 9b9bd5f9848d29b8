import type { ReactNode } from 'react';
import { Field } from '../../parts/field.tsx';
import type { FaultOf, Pace } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';

/** What the api takes at most. */
const MOST = { per_second: 1_000, per_chat_second: 30, per_group_minute: 100 } as const satisfies Record<
  keyof Pace,
  number
>;
const NAMES = Object.keys(MOST) as (keyof Pace)[];

type FieldsProps = { pace: Pace; change: (pace: Pace) => void; faultOf: FaultOf };

/** How fast the outbox sends. */
export function PaceFields({ pace, change, faultOf }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  return NAMES.map((name) => (
    <Field
      key={name}
      label={words.paces[name]}
      hint={words.paceHints[name]}
      fault={faultOf(`pace.${name}`)}
      type="number"
      min={1}
      max={MOST[name]}
      value={pace[name]}
      onChange={(event) => change({ ...pace, [name]: event.target.value })}
    />
  ));
}
