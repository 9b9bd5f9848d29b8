import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import './line.css';

type LineProps = {
  name: string;
  text: string;
  /** The text to copy, if it is another one; null: nothing can be copied. */
  copied?: string | null;
  /** For a screen reader. */
  copyName: string;
};

/** A text to paste somewhere, with its name above it. */
export function Line({ name, text, copied = text, copyName }: LineProps): ReactNode {
  return (
    <li>
      <strong>{name}</strong>
      <code dir="ltr">{text}</code>
      {copied !== null && <CopyButton text={copied} name={copyName} />}
    </li>
  );
}
