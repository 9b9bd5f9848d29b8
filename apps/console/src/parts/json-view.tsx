import type { ReactNode } from 'react';
import './json-view.css';

type Json = unknown;
type Node = { name?: string; value: Json; depth?: number };

const OPEN_DEPTH = 3;

/** JSON as a tree whose branches open and close. Everything in it is text. */
export function JsonView({ value }: { value: Json }): ReactNode {
  return (
    <div className="json" dir="ltr">
      <JsonNode value={value} />
    </div>
  );
}

function JsonNode({ name, value, depth = 0 }: Node): ReactNode {
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf">
        {label}
        <bdi className={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</bdi>
      </div>
    );
  }
  const entries = Object.entries(value);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className="json-leaf">
        {label}
        {before + after}
      </div>
    );
  }
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        {label}
        {before}
        <span className="json-size">
          {entries.length}
          {after}
        </span>
      </summary>
      {entries.map(([key, inner]) => (
        <JsonNode key={key} name={key} value={inner} depth={depth + 1} />
      ))}
    </details>
  );
}
