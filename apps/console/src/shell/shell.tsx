import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useShortcuts } from '../keys.ts';
import { loadLate } from '../load-late.ts';
import { BrandMark, Icon } from '../parts/icon.tsx';
import { useMenusLater } from '../parts/late-menus.ts';
import { usePhone } from '../parts/phone.ts';
import { ToastProvider } from '../parts/undo-toast.tsx';
import { usePreferences } from '../preferences.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CommandPalette } from './command-palette.tsx';
import { LiveBadge } from './live-badge.tsx';
import { MentionsMenu } from './mentions-menu.tsx';
import { Navigation } from './navigation.tsx';
import { OutageBar } from './outage-bar.tsx';
import { PreferencesMenu } from './preferences-menu.tsx';
import { QuarantineBar } from './quarantine-bar.tsx';
import { ReadOnlyBar } from './read-only-bar.tsx';
import { ScreenBar } from './screen-bar.tsx';
import { screensOf } from './screens.ts';
import { ShortcutList } from './shortcut-list.tsx';
import './shell.css';

const Notifier = lazy(async () => ({ default: (await loadLate(() => import('./notifier.tsx'))).Notifier }));

export function Shell(): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const screens = screensOf(useSession().account);
  const { notices } = usePreferences();
  const isPhone = usePhone();
  useMenusLater();
  const [over, setOver] = useState<'palette' | 'shortcuts' | null>(null);
  useShortcuts({
    'ctrl+k': () => setOver('palette'),
    ...Object.fromEntries(screens.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
    '?': () => setOver('shortcuts'),
  });
  return (
    <div className={isPhone ? 'shell on-phone' : 'shell'}>
      <a className="skip" href="#content">
        {words.skipToContent}
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          <BrandMark />
          {words.product}
        </Link>
        <button type="button" className="button palette-button" onClick={() => setOver('palette')}>
          <Icon name="search" />
          <span>{words.palette.open}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <MentionsMenu />
        <LiveBadge />
        <PreferencesMenu />
        <AccountMenu showShortcuts={() => setOver('shortcuts')} />
      </header>
      {isPhone ? <ScreenBar /> : <Navigation />}
      <main id="content" tabIndex={-1}>
        <OutageBar />
        <QuarantineBar />
        <ReadOnlyBar />
        <ToastProvider>
          <Outlet />
        </ToastProvider>
      </main>
      {notices !== 'off' && (
        <Suspense>
          <Notifier texts={notices === 'texts'} />
        </Suspense>
      )}
      {over === 'palette' && <CommandPalette close={() => setOver(null)} />}
      {over === 'shortcuts' && <ShortcutList close={() => setOver(null)} />}
    </div>
  );
}
