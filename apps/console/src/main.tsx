import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveProvider } from './live/live-provider.tsx';
import { OutboxProvider } from './outbox.tsx';
import { NowProvider } from './parts/time.tsx';
import { PreferencesProvider } from './preferences.tsx';
import { createQueries } from './queries.ts';
import { createConsoleRouter } from './routes.tsx';
import { SessionGate } from './session.tsx';
import { readPreferences } from './stored-preferences.ts';
import { loadWords } from './words/catalogs.ts';

const preferences = readPreferences();
const router = createConsoleRouter();
// The screen is loaded while the session is asked for.
void router.load();

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <PreferencesProvider preferences={preferences} words={await loadWords(preferences.language)}>
      <NowProvider>
        <QueryClientProvider client={createQueries()}>
          <SessionGate>
            <LiveProvider>
              <OutboxProvider>
                <RouterProvider router={router} />
              </OutboxProvider>
            </LiveProvider>
          </SessionGate>
        </QueryClientProvider>
      </NowProvider>
    </PreferencesProvider>
  </StrictMode>,
);
