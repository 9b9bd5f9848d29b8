import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import { Line } from './line.tsx';
import { type Code, type Step, TOKEN } from './programs/program.ts';
import { linesWithRoot } from './programs/programs.ts';

type StepsProps = {
  steps: readonly Step[];
  root: string;
  /** False: only what has the API root. */
  whole: boolean;
  token: string | undefined;
};

/** The steps in order, each with its text to copy. */
export function ProgramSteps({ steps, root, whole, token }: StepsProps): ReactNode {
  const words = useAddBotWords();
  const shown = whole ? steps : onlyRoot(steps, root);
  return (
    <ol className={whole ? 'program-steps' : 'program-steps cut-short'}>
      {shown.map(({ say, code, fields }) => (
        <li key={say}>
          <p>{whole ? words.programSteps[say] : words.rootOnly}</p>
          {code && <CodeBlock code={code} root={root} token={token} name={code.name ?? words.programSteps[say]} />}
          {fields && (
            <ul className="lines">
              {fields.map(([label, value]) => (
                <FieldLine key={label} label={label} value={value} token={token} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

type CodeProps = { code: Code; root: string; token: string | undefined; name: string };

/** A text to copy; the lines of a file with the API root are marked. */
function CodeBlock({ code, root, token, name }: CodeProps): ReactNode {
  const words = useAddBotWords();
  const lines = code.text
    .trimEnd()
    .replaceAll(TOKEN, masked(token) ?? words.tokenHere)
    .split('\n');
  const isFile = code.name !== undefined;
  return (
    <figure className={isFile ? 'code-block file' : 'code-block'}>
      <figcaption>
        {isFile && <code>{code.name}</code>}
        <CopyButton text={code.text.trimEnd().replaceAll(TOKEN, token ?? words.tokenHere)} name={words.copyOf(name)} />
      </figcaption>
      {/* The keyboard scrolls to the parts that do not fit. */}
      <section tabIndex={isFile ? 0 : undefined} aria-label={name}>
        <pre>
          {lines.map((line, at) =>
            isFile && line.includes(root) ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text keep their places
              <mark key={at}>{`${line}\n`}</mark>
            ) : (
              `${line}\n`
            ),
          )}
        </pre>
      </section>
    </figure>
  );
}

/** A value for a field of another page. The token is copied if it is known here, else there is nothing to copy. */
function FieldLine({ label, value, token }: { label: string; value: string; token: string | undefined }): ReactNode {
  const words = useAddBotWords();
  const copyName = words.copyLine(label);
  if (value !== TOKEN) return <Line name={label} text={value} copyName={copyName} />;
  return <Line name={label} text={masked(token) ?? words.tokenHere} copied={token ?? null} copyName={copyName} />;
}

/** The id of the bot, which is no secret, says whose token it is. */
function masked(token: string | undefined): string | undefined {
  return token?.replace(/:.*$/, ':••••••••');
}

function onlyRoot(steps: readonly Step[], root: string): Step[] {
  return steps.flatMap(({ say, code, fields }): Step[] => {
    const lines = linesWithRoot(code?.text ?? '', root).map((line) => line.trim());
    const withRoot = (fields ?? []).filter(([, value]) => value === root);
    if (withRoot.length > 0) return [{ say, fields: withRoot }];
    return lines.length > 0 && code ? [{ say, code: { ...code, text: lines.join('\n') } }] : [];
  });
}
