import type { ReactNode } from 'react';
import { Field } from '../../parts/field.tsx';
import { useSettingsWords } from './settings-words.ts';

type FieldProps = { seconds: string; type: (seconds: string) => void; fault: string | undefined };

/** After how many seconds without a poll, while updates wait, somebody is told. */
export function SilentAfterField({ seconds, type, fault }: FieldProps): ReactNode {
  const words = useSettingsWords();
  return (
    <Field
      label={words.silentAfter}
      hint={words.silentAfterHint}
      fault={fault}
      type="number"
      min={0}
      max={86_400}
      value={seconds}
      onChange={(event) => type(event.target.value)}
    />
  );
}
