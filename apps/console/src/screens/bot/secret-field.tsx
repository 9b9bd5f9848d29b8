import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { useSettingsWords } from './settings-words.ts';

type SecretProps = {
  /** True if the bot has a secret; its text is not known here. */
  isSet: boolean;
  /** The typed text; null: none, '': the secret goes. */
  typed: string | null;
  type: (secret: string | null) => void;
  fault: string | null | undefined;
};

/** Replaces or removes a secret that is not shown. */
export function SecretField({ isSet, typed, type, fault }: SecretProps): ReactNode {
  const words = useSettingsWords();
  const goes = isSet && typed === '';
  const hint = goes ? words.secretGoes : isSet ? words.secretSet : words.secretHint;
  return (
    <div className="beside">
      <Field
        label={words.secret}
        hint={hint}
        fault={fault}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        placeholder={isSet && !goes ? '••••••••' : ''}
        value={typed ?? ''}
        onChange={({ target: { value } }) => type(value === '' ? null : value)}
      />
      {isSet && <Button onClick={() => type(goes ? null : '')}>{goes ? words.secretKeep : words.secretRemove}</Button>}
    </div>
  );
}
