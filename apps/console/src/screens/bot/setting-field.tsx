import { settingControls } from 'virtual:settings';
import type { ReactNode } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { SwitchField } from '../../parts/switch-field.tsx';
import type { PlainSetting, Settings } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';

type FieldProps<Name extends PlainSetting> = {
  name: Name;
  value: Settings[Name];
  change: (changed: Partial<Pick<Settings, Name>>) => void;
  fault: string | undefined;
};

/** A setting, with the control and the limits that its declaration in the contract gives. */
export function SettingField<Name extends PlainSetting>({ name, value, change, fault }: FieldProps<Name>): ReactNode {
  const words: SettingTexts = useSettingsWords().settings[name];
  const { type, enum: options, minimum, maximum, maxLength } = settingControls[name]!;
  const set = (now: unknown) => change({ [name]: now } as Partial<Pick<Settings, Name>>);
  const { label, hint = '' } = words;
  if (type === 'boolean') {
    return <SwitchField label={label} hint={hint} fault={fault} on={value === true} toggle={set} />;
  }
  if (options !== undefined) {
    const named = options.map((one) => [one, words.options?.[one] ?? one, words.optionHints?.[one] ?? ''] as const);
    return <ChoiceField label={label} options={named} value={String(value)} choose={set} />;
  }
  const limits = type === 'integer' ? { type: 'number', min: minimum, max: maximum } : { maxLength, dir: 'auto' };
  return (
    <Field
      label={label}
      hint={hint}
      fault={fault}
      autoComplete="off"
      {...limits}
      value={String(value)}
      onChange={(event) => set(event.target.value)}
    />
  );
}

export type SettingTexts = {
  label: string;
  hint?: string;
  options?: Readonly<Record<string, string>>;
  optionHints?: Readonly<Record<string, string>>;
};
