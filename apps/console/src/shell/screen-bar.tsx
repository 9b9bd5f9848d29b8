import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuAnchor, MenuLine, MenuLink } from '../parts/menu.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { screensOf } from './screens.ts';
import { UnreadBadge } from './unread-badge.tsx';
import { useOutsidePages } from './use-outside-pages.ts';
import './screen-bar.css';

/** Those that somebody on the way looks into; the others are behind the fourth item. */
const FIRST: readonly string[] = ['fleet', 'inbox', 'deliveries'];

/** The screens at the lower end of a phone, within reach of the thumb. */
export function ScreenBar(): ReactNode {
  const { nav } = useWords();
  const screens = screensOf(useSession().account);
  const outside = useOutsidePages();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const others = screens.filter(({ name }) => !FIRST.includes(name));
  const isOther = others.some(({ to }) => path.startsWith(to));
  return (
    <nav className={`screen-bar ${isOther ? 'other' : ''}`} aria-label={nav.label}>
      {screens
        .filter(({ name }) => FIRST.includes(name))
        .map(({ name, to, icon }) => (
          <Link key={name} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
            <span className="phone-icon">
              <Icon name={icon} />
            </span>
            <span className="cut">{nav[name]}</span>
            {name === 'inbox' && <UnreadBadge />}
          </Link>
        ))}
      <Menu
        face={
          <>
            <span className="phone-icon">
              <Icon name="more" />
            </span>
            <span className="cut">{nav.more}</span>
          </>
        }
      >
        {others.map(({ name, to, icon }) => (
          <MenuLink key={name} to={to}>
            <Icon name={icon} />
            {nav[name]}
          </MenuLink>
        ))}
        <MenuLine />
        {outside.map(({ href, icon, text }) => (
          <MenuAnchor key={href} href={href}>
            <Icon name={icon} />
            {text}
          </MenuAnchor>
        ))}
      </Menu>
    </nav>
  );
}
