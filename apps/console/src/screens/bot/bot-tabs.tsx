import { Link, type LinkProps, useNavigate, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useShortcuts } from '../../keys.ts';
import { centerChosen } from '../../parts/center-chosen.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';

type Tab = { name: Exclude<keyof Words['bot']['tabs'], 'label'>; to: NonNullable<LinkProps['to']> };

const OVERVIEW = '/bots/$id';

/** The views of a bot, in the order of the tabs. */
const TABS: readonly Tab[] = [
  { name: 'overview', to: OVERVIEW },
  { name: 'chats', to: '/bots/$id/chats' },
  { name: 'live', to: '/bots/$id/live' },
  { name: 'outbox', to: '/bots/$id/outbox' },
  { name: 'deliveries', to: '/bots/$id/deliveries' },
  { name: 'programs', to: '/bots/$id/programs' },
  { name: 'rules', to: '/bots/$id/rules' },
  { name: 'questions', to: '/bots/$id/questions' },
  { name: 'statistics', to: '/bots/$id/statistics' },
  { name: 'settings', to: '/bots/$id/settings' },
];

/** Links to the views of a bot; `[` and `]` go to the one before and after. */
export function BotTabs({ id }: { id: string }): ReactNode {
  const { tabs: words } = useWords().bot;
  const navigate = useNavigate();
  // Not the route that is shown: while the next one is being loaded, a second step must go on from it.
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, '') });
  const step = (by: 1 | -1) => () => {
    const at = TABS.findIndex((tab) => isOf(path, tab, id));
    const to = TABS[at + by]?.to;
    if (to !== undefined) void navigate({ to, params: { id } });
  };
  useShortcuts({ '[': step(-1), ']': step(1) });
  const tabs = useRef<HTMLElement>(null);
  // On a phone the last ones are out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open tab is another one, and in another language they are wider or narrower
  useEffect(() => {
    centerChosen(tabs.current);
  }, [path, words]);
  return (
    <nav ref={tabs} className="tabs" aria-label={words.label}>
      {TABS.map(({ name, to }) => (
        <Link key={name} to={to} params={{ id }} activeOptions={{ exact: to === OVERVIEW, includeSearch: false }}>
          {words[name]}
        </Link>
      ))}
    </nav>
  );
}

/** True if a path is that of a view, or of what is open in it. */
function isOf(path: string, { to }: Tab, id: string): boolean {
  const own = to.replace('$id', id);
  return path.endsWith(own) || (to !== OVERVIEW && path.includes(`${own}/`));
}
