import './theme.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveProvider } from './live/live-provider.tsx';
import { NowProvider } from './parts/time.tsx';
import { PreferencesProvider, readPreferences } from './preferences.tsx';
import { createQueries } from './queries.ts';
import { reloadForNewRelease } from './reload-for-new-release.ts';
import { createConsoleRouter } from './routes.tsx';
import { SessionGate } from './session.tsx';
import { loadWords } from './words/words.tsx';

reloadForNewRelease();
const preferences = readPreferences();
document.documentElement.dataset.theme = preferences.theme;
const words = await loadWords(preferences.language);

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <PreferencesProvider preferences={preferences} words={words}>
      <NowProvider>
        <QueryClientProvider client={createQueries()}>
          <SessionGate>
            <LiveProvider>
              <RouterProvider router={createConsoleRouter()} />
            </LiveProvider>
          </SessionGate>
        </QueryClientProvider>
      </NowProvider>
    </PreferencesProvider>
  </StrictMode>,
);
