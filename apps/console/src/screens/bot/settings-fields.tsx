import type { ReactNode } from 'react';
import { Field, TextArea } from '../../parts/field.tsx';
import { BackendFields } from './backend-fields.tsx';
import { KindsField } from './kinds-field.tsx';
import { PaceFields } from './pace-fields.tsx';
import { SettingField } from './setting-field.tsx';
import { type FaultOf, PLAIN_SETTINGS, type PlainSetting, type Settings } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';

type FieldsProps = {
  settings: Settings;
  hasSecret: boolean;
  faultOf: FaultOf;
  change: (changed: Partial<Settings>) => void;
};

/** Where a setting stands; one that is named nowhere stands among the others. */
const GROUPED = {
  about: ['name', 'description'],
  intake: ['webhook_mode'],
  backend: ['proxy_enabled'],
  polling: ['long_poll_enabled', 'silent_after_s'],
  sending: ['flood'],
  history: ['manage_enabled'],
  adopting: ['adopts'],
} as const satisfies Record<string, readonly PlainSetting[]>;
const PLACED: readonly PlainSetting[] = [...Object.values(GROUPED).flat(), 'max_connections'];
const OTHERS = PLAIN_SETTINGS.filter((name) => !PLACED.includes(name));

/** The fields of the settings in groups, each with a line on what it does. */
export function SettingsFields({ settings, hasSecret, faultOf, change }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  const plain = (names: readonly PlainSetting[]) =>
    names.map((name) => (
      <SettingField key={name} name={name} value={settings[name]} change={change} fault={faultOf(name)} />
    ));
  return (
    <>
      <Group title={words.about}>
        {plain(GROUPED.about)}
        <Field
          label={words.labels}
          hint={words.labelsHint}
          fault={faultOf('labels')}
          autoComplete="off"
          dir="auto"
          value={settings.labels}
          onChange={({ target }) => change({ labels: target.value })}
        />
      </Group>
      <Group title={words.intake}>{plain(GROUPED.intake)}</Group>
      <Group title={words.backend}>
        {plain(GROUPED.backend)}
        <BackendFields backend={settings} change={change} faultOf={faultOf} hasSecret={hasSecret} />
      </Group>
      <Group title={words.polling}>{plain(GROUPED.polling)}</Group>
      <Group title={words.kindsGroup}>
        <KindsField
          kinds={settings.allowed_updates}
          choose={(allowed_updates) => change({ allowed_updates })}
          fault={faultOf('allowed_updates')}
        />
      </Group>
      <Group title={words.sending}>
        {plain(GROUPED.sending)}
        <PaceFields pace={settings.pace} change={(pace) => change({ pace })} faultOf={faultOf} />
      </Group>
      <Group title={words.history}>{plain(GROUPED.history)}</Group>
      <Group title={words.adopting}>
        {plain(GROUPED.adopting)}
        {settings.adopts && (
          <TextArea
            label={words.template}
            hint={words.templateHint}
            fault={faultOf('template')}
            rows={8}
            value={settings.template}
            onChange={({ target }) => change({ template: target.value })}
          />
        )}
      </Group>
      {OTHERS.length > 0 && <Group title={words.others}>{plain(OTHERS)}</Group>}
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <fieldset className="panel settings-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}
