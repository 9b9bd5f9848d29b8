import type { ReactNode } from 'react';

/** In place of rows: why there are none, and what to do next. */
export function Empty({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {hint && <p className="muted">{hint}</p>}
      {children}
    </div>
  );
}
