import { type ComponentProps, type ReactNode, useId } from 'react';

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'id'> & {
  label: string;
  hint?: string;
  fault?: string | null | undefined;
};

/** A text of several lines with its label, and below it a hint or what is wrong. */
export function TextArea({ label, hint, fault, ...area }: TextAreaProps): ReactNode {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        spellCheck={false}
        {...area}
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
