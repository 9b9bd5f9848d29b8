import type { SavedFilter, SavedViewResource, ViewedScreen } from '@flotilla/contract/saved-views.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { call } from '../call.ts';
import { loadLate } from '../load-late.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Icon } from './icon.tsx';
import { Menu, MenuItem } from './menu.tsx';
import './saved-views.css';

const NameView = lazy(async () => ({ default: (await loadLate(() => import('./name-view.tsx'))).NameView }));

/** The views of a screen that the account has saved, by name. */
export function useSavedViews(screen: ViewedScreen) {
  return useQuery({
    queryKey: ['views', screen],
    queryFn: ({ signal }) => call('listSavedViews', { screen }, signal),
    retry: false,
  });
}

type SavedViewsProps<Filter extends object> = {
  screen: ViewedScreen;
  /** The one of the page now. */
  filter: Filter;
  filterOf: (saved: SavedFilter) => Filter;
  savedOf: (filter: Filter) => SavedFilter;
  linkTo: (filter: Filter) => LinkProps;
  linkClass?: (isChosen: boolean) => string;
  /** Around the views, where there are some or the filter can become one. */
  frame: (views: ReactNode) => ReactNode;
};

/** Filters that the account has saved under a name: they are chosen, renamed and deleted, and the one of the page is saved. */
export function SavedViews<Filter extends object>(props: SavedViewsProps<Filter>): ReactNode {
  const { screen, filter, filterOf, savedOf, linkTo, linkClass, frame } = props;
  const { savedViews: words } = useWords();
  const queries = useQueryClient();
  const [named, setNamed] = useState<SavedViewResource | 'new' | null>(null);
  const { data: views = [] } = useSavedViews(screen);
  const refresh = () => queries.invalidateQueries({ queryKey: ['views', screen] });
  const removing = useMutation({ mutationFn: (id: number) => call('deleteSavedView', { id }), onSettled: refresh });
  const isChosen = (view: SavedViewResource) => isSame(filterOf(view.filter), filter);
  const canSave = Object.keys(filter).length > 0 && !views.some(isChosen);
  const send = async (name: string) => {
    if (named === 'new') await call('addSavedView', { screen, name, filter: savedOf(filter) });
    else if (named !== null) await call('renameSavedView', { id: named.id, name });
    await refresh();
    setNamed(null);
  };
  const list = (
    <>
      <ul>
        {views.map((view) => (
          <li key={view.id} className="saved-view">
            <Link
              {...linkTo(filterOf(view.filter))}
              className={linkClass?.(isChosen(view))}
              aria-current={isChosen(view) ? 'true' : undefined}
              activeOptions={{ exact: true }}
            >
              <bdi className="cut">{view.name}</bdi>
            </Link>
            <Menu label={words.menu(view.name)} face={<Icon name="more" />}>
              <MenuItem onClick={() => setNamed(view)}>{words.rename}</MenuItem>
              <MenuItem onClick={() => removing.mutate(view.id)}>{words.remove}</MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      {canSave && (
        <Button kind="quiet" className="save-view" onClick={() => setNamed('new')}>
          <Icon name="plus" /> {words.save}
        </Button>
      )}
      {removing.isError && <Failure error={removing.error} isAct />}
    </>
  );
  return (
    <>
      {(views.length > 0 || canSave) && frame(list)}
      {named !== null && (
        <Suspense fallback={null}>
          <NameView known={named === 'new' ? null : named.name} send={send} close={() => setNamed(null)} />
        </Suspense>
      )}
    </>
  );
}

function isSame(one: object, other: object): boolean {
  const sorted = (filter: object) => JSON.stringify(Object.entries(filter).toSorted());
  return sorted(one) === sorted(other);
}
