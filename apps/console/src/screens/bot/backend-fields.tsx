import type { ReactNode } from 'react';
import { UrlField } from '../../parts/url-field.tsx';
import { SecretField } from './secret-field.tsx';
import { SettingField } from './setting-field.tsx';
import { useSettingsWords } from './settings-words.ts';

/** Where updates are sent, with which secret, and how many at the same time, as the fields have it. */
export type Backend = {
  backend_url: string;
  /** null: nothing was typed; '': the secret goes. */
  secret_token: string | null;
  max_connections: string;
};

type FieldsProps = {
  backend: Backend;
  change: (changed: Partial<Backend>) => void;
  faultOf: (name: keyof Backend) => string | undefined;
  /** True if there is a secret already; its text is not known here. */
  hasSecret: boolean;
};

export function BackendFields({ backend, change, faultOf, hasSecret }: FieldsProps): ReactNode {
  const words = useSettingsWords();
  return (
    <>
      <UrlField
        label={words.url}
        hint={words.urlHint}
        fault={faultOf('backend_url')}
        url={backend.backend_url}
        type={(url) => change({ backend_url: url })}
      />
      <SecretField
        isSet={hasSecret}
        typed={backend.secret_token}
        type={(secret) => change({ secret_token: secret })}
        fault={faultOf('secret_token')}
      />
      <SettingField
        name="max_connections"
        value={backend.max_connections}
        change={change}
        fault={faultOf('max_connections')}
      />
    </>
  );
}
