import type { ComponentProps, ReactNode } from 'react';

type ButtonProps = ComponentProps<'button'> & {
  kind?: 'primary' | 'danger' | 'plain' | 'quiet';
  /** The work that it started still runs: it takes no second press, and keeps the focus. */
  busy?: boolean;
};

export function Button({ kind = 'plain', busy = false, type = 'button', onClick, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      type={busy ? 'button' : type}
      className={`button ${kind} ${rest.className ?? ''}`}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : onClick}
    />
  );
}
