import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useApiRoot } from '../../parts/use-api-root.ts';
import { useAddBotWords } from './add-bot-words.ts';
import { linesOf } from './libraries.ts';
import './library-lines.css';

/** The line that names the API root of this installation, for each library. */
export function LibraryLines(): ReactNode {
  const words = useAddBotWords();
  const apiRoot = useApiRoot();
  if (apiRoot === undefined) return null;
  return (
    <ul className="lines" aria-label={words.libraries}>
      {[...linesOf(apiRoot), [words.otherLibrary, apiRoot] as const].map(([library, line]) => (
        <Line key={library} name={library} text={line} copyName={words.copyLine(library)} />
      ))}
    </ul>
  );
}

type LineProps = {
  name: string;
  text: string;
  /** What a screen reader says of the button. */
  copyName: string;
};

/** A text to paste somewhere, with its name above it. */
export function Line({ name, text, copyName }: LineProps): ReactNode {
  return (
    <li>
      <strong>{name}</strong>
      <code dir="ltr">{text}</code>
      <CopyButton text={text} name={copyName} />
    </li>
  );
}
