import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import './line.css';

type LineProps = {
  name: string;
  text: string;
  /** What is copied, if it is not the text; null: nothing can be. */
  copied?: string | null;
  /** What a screen reader says of the button. */
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
