import '@fontsource-variable/geist';
import './theme.css';
import './styles/fields.css';
import './styles/overlays.css';
import './styles/states.css';
import './styles/lists.css';
import './styles/table.css';
import './styles/inspector.css';
import { askEarly } from './early.ts';
import { loadAhead, loadLate } from './load-late.ts';
import { readPreferences } from './stored-preferences.ts';
import { loadWords } from './words/catalogs.ts';

// This script is small and runs first: what the page needs besides its scripts comes while those are on their way.
const { theme, language } = readPreferences();
document.documentElement.dataset.theme = theme;
const opensFleet = /^\/console\/?$/.test(window.location.pathname);
void loadWords(language);
void loadLate(() => import('./main.tsx'));
if (opensFleet) void loadAhead(() => import('./screens/fleet/fleet.tsx'));
void askFirst();

async function askFirst(): Promise<void> {
  const session = await askEarly('/api/auth/me').catch(() => null);
  if (!session?.ok || !opensFleet) return;
  const { must_change_password: mustChange } = (await session.clone().json()) as { must_change_password: boolean };
  if (mustChange) return;
  void askEarly('/api/fleet');
  void askEarly('/api/views?screen=fleet');
  if (window.location.search === '') void askEarly('/api/bots?sort=attention&limit=50&offset=0');
}
