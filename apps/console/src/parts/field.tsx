import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';

type FieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  label: string;
  hint?: string;
  /** What is wrong with the value. */
  fault?: string | null | undefined;
};

/** An input with its label, and below it a hint or what is wrong. */
export function Field({ label, hint, fault, ...input }: FieldProps): ReactNode {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={fault ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
      />
      {note && (
        <p id={`${id}-note`} className={fault ? 'fault' : 'hint'}>
          {note}
        </p>
      )}
    </div>
  );
}

type SelectProps<Value extends string> = {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  choose: (value: Value) => void;
  hint?: string;
  fault?: string | null | undefined;
};

/** One of a few options, by the list of the browser. */
export function SelectField<Value extends string>(props: SelectProps<Value>): ReactNode {
  const { label, options, value, choose, hint, fault } = props;
  const id = useId();
  const note = fault ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={fault ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => choose(event.target.value as Value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {note && (
        <p id={`${id}-note`} className={fault ? 'fault' : 'hint'}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A field for a password, which can be shown. */
export function PasswordField(props: FieldProps): ReactNode {
  const words = useWords();
  const [shown, setShown] = useState(false);
  return (
    <div className="password">
      <Field {...props} type={shown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false} />
      <button
        type="button"
        className="button quiet icon-only"
        aria-pressed={shown}
        aria-label={words.signIn.show}
        title={words.signIn.show}
        onClick={() => setShown(!shown)}
      >
        <Icon name="eye" />
      </button>
    </div>
  );
}
