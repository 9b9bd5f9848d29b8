import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../keys.ts';
import { loadLate } from '../load-late.ts';
import { botQuery } from '../parts/bot-query.ts';
import { centerChosen } from '../parts/center-chosen.ts';
import { BrandMark, Icon, type IconName } from '../parts/icon.tsx';
import { useMenusLater } from '../parts/late-menus.ts';
import { ToastProvider } from '../parts/undo-toast.tsx';
import { useInstallation } from '../parts/use-installation.ts';
import { useSandboxPage } from '../parts/use-sandbox-page.ts';
import { usePreferences } from '../preferences.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CommandPalette } from './command-palette.tsx';
import { LiveBadge } from './live-badge.tsx';
import { MentionsMenu } from './mentions-menu.tsx';
import { OutageBar } from './outage-bar.tsx';
import { PreferencesMenu } from './preferences-menu.tsx';
import { QuarantineBar } from './quarantine-bar.tsx';
import { ReadOnlyBar } from './read-only-bar.tsx';
import { screensOf } from './screens.ts';
import { ShortcutList } from './shortcut-list.tsx';
import { UnreadBadge } from './unread-badge.tsx';
import './shell.css';

const Notifier = lazy(async () => ({ default: (await loadLate(() => import('./notifier.tsx'))).Notifier }));

export function Shell(): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const screens = screensOf(useSession().account);
  const { notices } = usePreferences();
  useMenusLater();
  const [over, setOver] = useState<'palette' | 'shortcuts' | null>(null);
  useShortcuts({
    'ctrl+k': () => setOver('palette'),
    ...Object.fromEntries(screens.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
    '?': () => setOver('shortcuts'),
  });
  return (
    <div className="shell">
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
      <Navigation />
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

function Navigation(): ReactNode {
  const words = useWords();
  const { account } = useSession();
  const rail = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone the last ones are out of sight.
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
      <SandboxLink />
      {account.role === 'admin' && <Outside href="/admin/queues" icon="queues" text={words.nav.queues} />}
      <Outside href="/docs" icon="document" text={words.nav.document} />
    </nav>
  );
}

/** In a sandbox: the page on which a person writes to the bot that is shown, in the language and the theme of this one. */
function SandboxLink(): ReactNode {
  const words = useWords();
  const { sandboxUrl } = useInstallation();
  const { id: shown } = useParams({ strict: false }) as { id?: string };
  const isOfBot = useRouterState({ select: ({ location }) => location.pathname.startsWith('/bots/') });
  const added = useRouterState({ select: ({ location }) => (location.search as { bot?: unknown }).bot });
  const id = shown ?? (typeof added === 'string' ? added : undefined);
  const bot = useQuery({
    ...botQuery(id ?? ''),
    enabled: sandboxUrl !== undefined && isOfBot && id !== undefined,
  });
  const page = useSandboxPage(isOfBot ? bot.data?.username : undefined);
  return page !== undefined && <Outside href={page} icon="phone" text={words.nav.sandbox} />;
}

/** A page of ours outside of the console. */
function Outside({ href, icon, text }: { href: string; icon: IconName; text: string }): ReactNode {
  return (
    <a href={href} target="_blank" rel="noopener">
      <Icon name={icon} />
      {text}
    </a>
  );
}
