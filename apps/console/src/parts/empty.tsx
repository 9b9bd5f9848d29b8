import type { ReactNode } from 'react';

type EmptyProps = {
  title: string;
  hint?: string;
  /** It stands for the whole page. */
  isPage?: true;
  children?: ReactNode;
};

/** In place of rows: why there are none, and what to do next. */
export function Empty({ title, hint, isPage, children }: EmptyProps): ReactNode {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {hint && <p className="muted">{hint}</p>}
      {children}
    </div>
  );
}
