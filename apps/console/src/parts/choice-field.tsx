import { type ReactNode, useId } from 'react';
import './check-field.css';
import './choice-field.css';

type ChoiceProps<Value extends string> = {
  label: string;
  /** Each with its name and what it means. */
  options: readonly (readonly [value: Value, name: string, hint?: string])[];
  value: Value;
  choose: (value: Value) => void;
  /** Fields that belong to the choice, below it. */
  children?: ReactNode;
};

/** One of a few options, all in sight, each with a line on what it means. */
export function ChoiceField<Value extends string>(props: ChoiceProps<Value>): ReactNode {
  const { label, options, value, choose, children } = props;
  const group = useId();
  return (
    <fieldset className="choice-field">
      <legend>{label}</legend>
      {options.map(([option, name, hint]) => (
        <label key={option} className="check">
          <input type="radio" name={group} checked={value === option} onChange={() => choose(option)} />
          <span>
            {name}
            {hint && <small className="hint">{hint}</small>}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}
