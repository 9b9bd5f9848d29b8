import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PasswordField } from '../../parts/field.tsx';
import { useWords } from '../../words/words.tsx';

const BYTES = 15;
/** The same length as in the contract, which the bundle does not hold. */
const MIN_LENGTH = 10;

type NewPasswordProps = { value: string; change: (value: string) => void; fault: string | undefined };

/** A first password for somebody else: typed, or made here. */
export function NewPasswordField({ value, change, fault }: NewPasswordProps): ReactNode {
  const words = useWords();
  return (
    <div className="new-password">
      <PasswordField
        label={words.password.new}
        hint={words.password.hint}
        autoComplete="new-password"
        required
        minLength={MIN_LENGTH}
        fault={fault}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      <div className="new-password-tools">
        <Button onClick={() => change(madePassword())}>{words.access.makePassword}</Button>
        {value !== '' && <CopyButton text={value} />}
      </div>
    </div>
  );
}

function madePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_');
}
