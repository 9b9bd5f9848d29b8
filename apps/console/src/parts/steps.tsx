import { type ReactNode, useEffect, useRef } from 'react';
import './steps.css';

/** The steps of a way by their names; `at` is the index of the one that is shown. */
export function Steps({ label, names, at }: { label: string; names: readonly string[]; at: number }): ReactNode {
  return (
    <ol className="steps" aria-label={label}>
      {names.map((name, index) => (
        <li key={name} aria-current={index === at ? 'step' : undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}

/** The heading of a step. It takes the focus, so that a screen reader says what comes next. */
export function StepTitle({ as: Heading = 'h1', children }: { as?: 'h1' | 'h2'; children: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Heading ref={heading} tabIndex={-1} className="step-title">
      {children}
    </Heading>
  );
}
