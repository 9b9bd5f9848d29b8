import { type ReactNode, useEffect, useRef } from 'react';

/** The heading of a step. It takes the focus, so that a screen reader says what comes next. */
export function StepTitle({ children }: { children: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
