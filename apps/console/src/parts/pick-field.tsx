import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { described, FieldNote } from './field.tsx';
import { Icon } from './icon.tsx';
import './pick-field.css';

export type Option = { id: string; name: string; note?: string };

/** Finds options by a part of their names; '' asks for the first ones. */
export type Finder = { key: QueryKey; find: (q: string, signal: AbortSignal) => Promise<Option[]> };

type PickProps = {
  label: string;
  /** The name of what is chosen; '' for nothing. */
  chosen: string;
  finder: Finder;
  choose: (option: Option | null) => void;
  placeholder?: string;
  hint?: string;
  fault?: string | null | undefined;
  /** The option that a text stands for by itself, if any: it is chosen by Enter, or when the field is left. */
  own?: (typed: string) => Option | null;
};

/** Acts now, or after the press that is under way: a list that closes under it may move what is pressed away. */
function afterPress(act: () => void): void {
  if (document.querySelector(':active') === null) {
    act();
    return;
  }
  const ends = new AbortController();
  const end = () => {
    ends.abort();
    requestAnimationFrame(act);
  };
  for (const name of ['pointerup', 'pointercancel', 'click', 'dragend']) {
    document.addEventListener(name, end, { signal: ends.signal, capture: true });
  }
}

/** Finds one of many by a part of its name. */
export function PickField(props: PickProps): ReactNode {
  const { label, chosen, finder, choose, placeholder, hint, fault, own } = props;
  const words = useWords();
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [marked, setMarked] = useState(0);
  const q = typed?.trim() ?? '';
  const found = useQuery({
    queryKey: [...finder.key, q],
    queryFn: ({ signal }) => finder.find(q, signal),
    placeholderData: keepPreviousData,
    enabled: typed !== null,
  });
  const options = found.data ?? [];
  const isOpen = typed !== null && options.length > 0;
  const at = Math.min(marked, options.length - 1);
  const pick = (option: Option | null) => {
    choose(option);
    setTyped(null);
  };
  const typedOwn = () => (typed === null ? null : (own?.(q) ?? null));
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && typed === null) setTyped('');
    else if (step !== undefined) setMarked((at + step + options.length) % Math.max(1, options.length));
    else if (event.key === 'Enter' && isOpen && !found.isPlaceholderData) pick(options[at]!);
    else if (event.key === 'Enter' && typedOwn() !== null) pick(typedOwn());
    else if (event.key === 'Enter' && isOpen) {
      // The options shown are still those of other letters.
    } else if (event.key === 'Escape' && typed !== null) setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="field pick">
      <label htmlFor={id}>{label}</label>
      <div className="pick-box">
        <input
          id={id}
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen ? `${id}-${at}` : undefined}
          {...described(id, fault, hint)}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          placeholder={placeholder}
          value={typed ?? chosen}
          onChange={(event) => {
            setTyped(event.target.value);
            setMarked(0);
          }}
          onClick={() => setTyped((known) => known ?? '')}
          onBlur={() => {
            const option = typedOwn();
            if (option !== null) choose(option);
            afterPress(() => setTyped(null));
          }}
          onKeyDown={steer}
        />
        {chosen !== '' && typed === null && (
          <button
            type="button"
            className="button quiet icon-only"
            aria-label={words.clearField(label)}
            onClick={() => pick(null)}
          >
            <Icon name="close" />
          </button>
        )}
        <div id={`${id}-list`} role="listbox" aria-label={label} className="pick-list" hidden={!isOpen}>
          {isOpen &&
            options.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the focus and its keys
              <div
                key={option.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                tabIndex={-1}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(option)}
                onPointerMove={() => setMarked(index)}
              >
                <bdi className="cut">{option.name}</bdi>
                {option.note && <span className="muted cut">{option.note}</span>}
              </div>
            ))}
        </div>
      </div>
      <FieldNote id={id} fault={fault} hint={hint} />
    </div>
  );
}
