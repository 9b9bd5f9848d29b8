import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { useShortcuts } from '../../../keys.ts';
import { BotField } from '../../../parts/bot-field.tsx';
import { given } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { usePhone } from '../../../parts/phone.ts';
import { useTyped } from '../../../parts/use-typed.ts';
import { useWords } from '../../../words/words.tsx';
import { type InboxFilter, TYPES } from '../inbox-filter.ts';
import { linkToFilter, useInboxPlace } from '../inbox-place.ts';

/** The filters of the list; all are in the address. */
export function ChatFilters({ filter }: { filter: InboxFilter }): ReactNode {
  const { inbox: words, fleet } = useWords();
  const place = useInboxPlace();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef(place);
  latest.current = place;
  const apply = useCallback(
    (changes: { [Name in keyof InboxFilter]?: InboxFilter[Name] | undefined }) => {
      const { filter: now } = latest.current;
      void navigate({ ...linkToFilter(latest.current, given({ ...now, ...changes }) as InboxFilter), replace: true });
    },
    [navigate],
  );
  const [typed, setTyped] = useTyped(
    filter.q ?? '',
    useCallback((q: string) => apply({ q: q.trim() === '' ? undefined : q }), [apply]),
  );
  const [tag, setTag] = useTyped(
    filter.tag ?? '',
    useCallback((typedTag: string) => apply({ tag: typedTag.trim() === '' ? undefined : typedTag.trim() }), [apply]),
  );
  useShortcuts({ '/': () => field.current?.focus() });
  const isPhone = usePhone();
  const { q: _, queue: __, ...narrow } = place.filter;
  const set = Object.keys(narrow).length;
  const [isOpen, setOpen] = useState(set > 0);
  const unreadMark = (
    <button
      type="button"
      className="chat-mark"
      aria-pressed={filter.unread !== undefined}
      onClick={() => apply({ unread: filter.unread === undefined ? '1' : undefined })}
    >
      {words.unread}
    </button>
  );
  return (
    <div className="chat-filters">
      <div className="filter">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label={fleet.filter}
          placeholder={words.filterHint}
          dir="auto"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && typed === '' && field.current?.blur()}
        />
        <kbd>/</kbd>
      </div>
      {isPhone && (
        <button
          type="button"
          className="button quiet chat-fold"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {words.filters}
          {set > 0 && <span className="count">{set}</span>}
        </button>
      )}
      {!isPhone && unreadMark}
      {(isOpen || !isPhone) && (
        <div className="chat-choices">
          {isPhone && unreadMark}
          <select
            aria-label={words.type}
            value={filter.type ?? ''}
            onChange={({ target: { value } }) => apply({ type: TYPES.find((one) => one === value) })}
          >
            <option value="">{words.allTypes}</option>
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {words.types[type]}
              </option>
            ))}
          </select>
          <input
            type="search"
            className="chat-tag"
            aria-label={words.tag}
            placeholder={words.tag}
            dir="auto"
            autoComplete="off"
            maxLength={64}
            value={tag}
            onChange={(event) => setTag(event.target.value)}
          />
          {place.ofBot === undefined && (
            <BotField
              label={words.ofBot}
              placeholder={words.allBots}
              botId={filter.bot}
              choose={(bot) => apply({ bot })}
            />
          )}
        </div>
      )}
    </div>
  );
}
