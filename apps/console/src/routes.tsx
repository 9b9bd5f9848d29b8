import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { RouteFailure } from './parts/failure.tsx';
import { NotFound } from './parts/not-found.tsx';
import { readFleetFilter } from './screens/fleet/fleet-filter.ts';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFound /> });

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readFleetFilter,
  component: lazyRouteComponent(() => import('./screens/fleet/fleet.tsx'), 'Fleet'),
});

const bot = createRoute({
  getParentRoute: () => root,
  path: '/bots/$id',
  component: lazyRouteComponent(() => import('./screens/bot/bot.tsx'), 'Bot'),
});
const botOverview = createRoute({
  getParentRoute: () => bot,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/bot/overview.tsx'), 'Overview'),
});
const botSettings = createRoute({
  getParentRoute: () => bot,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/bot/bot-settings.tsx'), 'BotSettings'),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([fleet, bot.addChildren([botOverview, botSettings])]),
    basepath: '/console',
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
    // Every value of the query is text: `q=007` is no number.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(String),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
