import { type ReactNode, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { useCopy } from './use-copy.tsx';

const SAID_MS = 2_000;

type CopyProps = {
  text: string;
  label?: string;
  /** For a screen reader, where many buttons say the same. */
  name?: string;
};

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label, name }: CopyProps): ReactNode {
  const words = useWords();
  const { copy, dialog } = useCopy();
  const [copied, setCopied] = useState(false);
  const press = async () => {
    if (!(await copy(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <>
      <Button onClick={() => void press()} aria-label={copied ? undefined : name}>
        <span aria-live="polite">{copied ? words.copied : (label ?? words.copy)}</span>
      </Button>
      {dialog}
    </>
  );
}
