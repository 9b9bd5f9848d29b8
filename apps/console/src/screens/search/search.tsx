import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useWords } from '../../words/words.tsx';
import { Found } from './found.tsx';
import { SearchFields } from './search-fields.tsx';
import './search.css';

const route = getRouteApi('/search');

/** Finds messages by their words, by who wrote them and when. */
export function Search(): ReactNode {
  const { search: words } = useWords();
  const address = route.useSearch();
  useTitle(words.title);
  const { q, bot, chat } = address;
  return (
    <div className="search">
      <h1>{words.title}</h1>
      <SearchFields address={address} />
      {q === undefined && (bot === undefined || chat === undefined) ? (
        <Empty title={words.start} hint={words.startHint} />
      ) : (
        <Found address={address} />
      )}
    </div>
  );
}
