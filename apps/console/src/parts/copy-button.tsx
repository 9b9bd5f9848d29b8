import { type ReactNode, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

const SAID_MS = 2_000;

type CopyProps = {
  text: string;
  /** What the button says. */
  label?: string;
  /** What a screen reader says, where many buttons say the same. */
  name?: string;
};

/** Copies a text; says so for a moment. Without a safe connection the browser has no clipboard, and there is no button. */
export function CopyButton({ text, label, name }: CopyProps): ReactNode {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <Button onClick={() => void copy()} aria-label={copied ? undefined : name}>
      <span aria-live="polite">{copied ? words.copied : (label ?? words.copy)}</span>
    </Button>
  );
}
