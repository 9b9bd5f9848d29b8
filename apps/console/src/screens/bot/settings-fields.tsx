import type { ReactNode } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { SwitchField } from '../../parts/switch-field.tsx';
import { BackendFields } from './backend-fields.tsx';
import { KindsField } from './kinds-field.tsx';
import { PaceFields } from './pace-fields.tsx';
import type { FaultOf, Settings } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';
import { SilentAfterField } from './silent-after-field.tsx';

type FieldsProps = {
  settings: Settings;
  hasSecret: boolean;
  faultOf: FaultOf;
  change: (changed: Partial<Settings>) => void;
};

const FLOODS = ['pass', 'shield', 'wait'] as const satisfies readonly Settings['flood'][];

/** The fields of the settings in groups, each with a line on what it does. */
export function SettingsFields({ settings, hasSecret, faultOf, change }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  return (
    <>
      <Group title={words.about}>
        <Field
          label={words.name}
          hint={words.nameHint}
          fault={faultOf('name')}
          dir="auto"
          autoComplete="off"
          value={settings.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Field
          label={words.description}
          hint={words.descriptionHint}
          fault={faultOf('description')}
          dir="auto"
          autoComplete="off"
          value={settings.description}
          onChange={(event) => change({ description: event.target.value })}
        />
      </Group>
      <Group title={words.intake}>
        <SwitchField
          label={words.webhookMode}
          hint={words.webhookModeHint}
          fault={faultOf('webhook_mode')}
          on={settings.webhook_mode}
          toggle={(webhook_mode) => change({ webhook_mode })}
        />
      </Group>
      <Forwarding {...{ settings, hasSecret, faultOf, change }} />
      <Group title={words.polling}>
        <SwitchField
          label={words.longPoll}
          hint={words.longPollHint}
          fault={faultOf('long_poll_enabled')}
          on={settings.long_poll_enabled}
          toggle={(long_poll_enabled) => change({ long_poll_enabled })}
        />
        <SilentAfterField
          seconds={settings.silent_after_s}
          type={(silent_after_s) => change({ silent_after_s })}
          fault={faultOf('silent_after_s')}
        />
      </Group>
      <Group title={words.kindsGroup}>
        <KindsField
          kinds={settings.allowed_updates}
          choose={(allowed_updates) => change({ allowed_updates })}
          fault={faultOf('allowed_updates')}
        />
      </Group>
      <Group title={words.sending}>
        <ChoiceField
          label={words.flood}
          options={FLOODS.map((flood) => [flood, words.floods[flood], words.floodHints[flood]] as const)}
          value={settings.flood}
          choose={(flood) => change({ flood })}
        />
        <PaceFields pace={settings.pace} change={(pace) => change({ pace })} faultOf={faultOf} />
      </Group>
      <Group title={words.history}>
        <SwitchField
          label={words.manage}
          hint={words.manageHint}
          fault={faultOf('manage_enabled')}
          on={settings.manage_enabled}
          toggle={(manage_enabled) => change({ manage_enabled })}
        />
      </Group>
    </>
  );
}

function Forwarding({ settings, hasSecret, faultOf, change }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  return (
    <Group title={words.backend}>
      <SwitchField
        label={words.proxy}
        hint={words.proxyHint}
        fault={faultOf('proxy_enabled')}
        on={settings.proxy_enabled}
        toggle={(proxy_enabled) => change({ proxy_enabled })}
      />
      <BackendFields backend={settings} change={change} faultOf={faultOf} hasSecret={hasSecret} />
    </Group>
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
