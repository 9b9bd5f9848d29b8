import { type ReactNode, useState } from 'react';
import { FilterField } from '../../parts/filter-field.tsx';
import { useWords } from '../../words/words.tsx';
import { type LiveFilter, ROW_KINDS } from './live-filter.ts';

type FiltersProps = { filter: LiveFilter; change: (filter: LiveFilter) => void };

/** Which of the events are shown: by kind, chat and text. */
export function LiveFilters({ filter, change }: FiltersProps): ReactNode {
  const { live: words } = useWords();
  const { kind: _kind, ...anyKind } = filter;
  const { q: _q, ...anyText } = filter;
  return (
    <div className="list-tools">
      <fieldset className="choices">
        <legend className="unseen">{words.kind}</legend>
        {([undefined, ...ROW_KINDS] as const).map((kind) => (
          <button
            key={kind ?? 'all'}
            type="button"
            aria-pressed={filter.kind === kind}
            onClick={() => change(kind === undefined ? anyKind : { ...anyKind, kind })}
          >
            {kind === undefined ? words.allKinds : words.manyKinds[kind]}
          </button>
        ))}
      </fieldset>
      <FilterField
        label={words.filter}
        hint={words.filterHint}
        text={filter.q ?? ''}
        change={(q) => change(q.trim() === '' ? anyText : { ...anyText, q })}
      />
      <ChatField filter={filter} change={change} />
    </div>
  );
}

/** An unfinished number, as a single minus, waits for its digits. */
function ChatField({ filter, change }: FiltersProps): ReactNode {
  const { live: words } = useWords();
  const [typed, setTyped] = useState(filter.chat ?? '');
  const { chat: _, ...anyChat } = filter;
  return (
    <input
      className="chat-filter"
      inputMode="numeric"
      aria-label={words.chat}
      placeholder={words.chat}
      value={typed}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (value === '') change(anyChat);
        else if (/^-?\d+$/.test(value)) change({ ...anyChat, chat: value });
      }}
    />
  );
}
