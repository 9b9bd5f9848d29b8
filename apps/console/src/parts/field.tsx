import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';

type Labelled = {
  label: string;
  hint?: string;
  fault?: string | null | undefined;
};
type OfInput = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined };

type FieldProps = Omit<ComponentProps<'input'>, 'id'> & Labelled;

/** An input with its label, and below it a hint or what is wrong. */
export function Field({ label, hint, fault, ...input }: FieldProps): ReactNode {
  return (
    <Frame label={label} hint={hint} fault={fault}>
      {(own) => <input {...input} {...own} />}
    </Frame>
  );
}

/** A text of several lines with its label, and below it a hint or what is wrong. */
export function TextArea({
  label,
  hint,
  fault,
  ...area
}: Omit<ComponentProps<'textarea'>, 'id'> & Labelled): ReactNode {
  return (
    <Frame label={label} hint={hint} fault={fault}>
      {(own) => <textarea spellCheck={false} {...area} {...own} />}
    </Frame>
  );
}

type SelectProps<Value extends string> = Labelled & {
  options: readonly (readonly [Value, string])[];
  value: Value;
  choose: (value: Value) => void;
};

/** One of a few options, by the list of the browser. */
export function SelectField<Value extends string>(props: SelectProps<Value>): ReactNode {
  const { options, value, choose, ...frame } = props;
  return (
    <Frame {...frame}>
      {(own) => (
        <select {...own} value={value} onChange={(event) => choose(event.target.value as Value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

type FrameProps = { [Name in keyof Labelled]: Labelled[Name] | undefined } & { label: string };

function Frame({ label, hint, fault, children }: FrameProps & { children: (own: OfInput) => ReactNode }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...described(id, fault, hint) })}
      <FieldNote id={id} fault={fault} hint={hint} />
    </div>
  );
}

/** Ties an input to the note below it. */
export function described(id: string, fault: Labelled['fault'], hint: string | undefined): Omit<OfInput, 'id'> {
  return { 'aria-invalid': fault ? true : undefined, 'aria-describedby': fault || hint ? `${id}-note` : undefined };
}

type NoteProps = { id: string; fault: Labelled['fault']; hint: string | undefined };

/** The fault, also in the words of the api; without one the hint. */
export function FieldNote({ id, fault, hint }: NoteProps): ReactNode {
  const { errors } = useWords();
  if (!fault && !hint) return null;
  return (
    <p id={`${id}-note`} className={fault ? 'fault' : 'hint'}>
      {fault ? (errors.inWords(fault) ?? fault) : hint}
    </p>
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
