import type { ReactNode } from 'react';
import './check-field.css';

type CheckProps = { label: string; hint?: string; on: boolean; toggle: (on: boolean) => void };

export function CheckField({ label, hint, on, toggle }: CheckProps): ReactNode {
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={(event) => toggle(event.target.checked)} />
      <span>
        {label}
        {hint && <small className="hint">{hint}</small>}
      </span>
    </label>
  );
}
