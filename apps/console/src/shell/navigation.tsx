import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { centerChosen } from '../parts/center-chosen.ts';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { screensOf } from './screens.ts';
import { UnreadBadge } from './unread-badge.tsx';
import { useOutsidePages } from './use-outside-pages.ts';

/** All screens, beside what is shown; in a narrow window above it. */
export function Navigation(): ReactNode {
  const words = useWords();
  const { account } = useSession();
  const rail = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const outside = useOutsidePages();
  // In a narrow window the last ones are out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open screen is another one
  useEffect(() => {
    centerChosen(rail.current);
  }, [path]);
  return (
    <nav ref={rail} className="rail" aria-label={words.nav.label}>
      {screensOf(account).map(({ name, to, icon }) => (
        <Link key={name} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} />
          {words.nav[name]}
          {name === 'inbox' && (
            <span className="badge-place">
              <UnreadBadge />
            </span>
          )}
        </Link>
      ))}
      <span className="rail-gap" />
      {outside.map(({ href, icon, text }) => (
        <a key={href} href={href} target="_blank" rel="noopener">
          <Icon name={icon} />
          {text}
        </a>
      ))}
    </nav>
  );
}
