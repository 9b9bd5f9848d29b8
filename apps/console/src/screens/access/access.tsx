import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useShortcuts } from '../../keys.ts';
import { useTitle } from '../../parts/use-title.ts';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { VIEWS, type View } from './access-view.ts';
import { Keys } from './keys.tsx';
import { People } from './people.tsx';
import { Sessions } from './sessions.tsx';
import './access.css';

const route = getRouteApi('/access');

/** Who may do what: accounts for admins; keys and sessions for everybody. */
export function Access(): ReactNode {
  const words = useWords();
  const { account } = useSession();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  useTitle(words.access.title);
  const views = VIEWS.filter((one) => one !== 'people' || account.role === 'admin');
  const shown: View = views.find((one) => one === view) ?? views[0]!;
  const step = (by: 1 | -1) => () => {
    const next = views[views.indexOf(shown) + by];
    if (next !== undefined) void navigate({ search: { view: next } });
  };
  useShortcuts({ '[': step(-1), ']': step(1) });
  return (
    <div className="access">
      <h1>{words.access.title}</h1>
      <nav className="tabs" aria-label={words.access.views.label}>
        {views.map((one) => (
          <Link
            key={one}
            to="/access"
            search={{ view: one }}
            className={one === shown ? 'active' : ''}
            activeProps={{ className: '' }}
            aria-current={one === shown ? 'page' : undefined}
          >
            {words.access.views[one]}
          </Link>
        ))}
      </nav>
      {shown === 'people' && <People />}
      {shown === 'keys' && <Keys />}
      {shown === 'sessions' && <Sessions />}
    </div>
  );
}
