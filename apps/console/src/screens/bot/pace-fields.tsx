import { type SettingControl, settingControls } from 'virtual:settings';
import type { ReactNode } from 'react';
import { Field } from '../../parts/field.tsx';
import type { FaultOf, Pace } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';

const LIMITS = Object.entries(settingControls.pace?.properties ?? {}) as [keyof Pace, SettingControl][];

type FieldsProps = { pace: Pace; change: (pace: Pace) => void; faultOf: FaultOf };

/** How fast the outbox sends. */
export function PaceFields({ pace, change, faultOf }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  return LIMITS.map(([name, { minimum, maximum }]) => (
    <Field
      key={name}
      label={words.paces[name]}
      hint={words.paceHints[name]}
      fault={faultOf(`pace.${name}`)}
      type="number"
      min={minimum}
      max={maximum}
      value={pace[name]}
      onChange={(event) => change({ ...pace, [name]: event.target.value })}
    />
  ));
}
