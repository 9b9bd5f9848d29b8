import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { loadLate } from './load-late.ts';
import { RouteFailure } from './parts/failure.tsx';
import { NotFound } from './parts/not-found.tsx';
import { readAccessAddress } from './screens/access/access-view.ts';
import { readAddedBot } from './screens/add-bot/added-bot.ts';
import { readAuditFilter } from './screens/audit/audit-filter.ts';
import { readOverviewAddress, readUpdateAddress } from './screens/bot/bot-addresses.ts';
import { readBroadcastFilter, readNewBroadcast } from './screens/broadcasts/broadcast-filter.ts';
import { readChatAuditAddress } from './screens/chat/chat-audit-address.ts';
import { readPeopleAddress } from './screens/chat/people-address.ts';
import { readDeliveryFilter } from './screens/deliveries/delivery-filter.ts';
import { readEventsAddress } from './screens/events/event-filter.ts';
import { readFleetFilter } from './screens/fleet/fleet-filter.ts';
import { readInboxSearch } from './screens/inbox/inbox-filter.ts';
import { readLiveFilter } from './screens/live/live-filter.ts';
import { readOutboxFilter } from './screens/outbox/outbox-filter.ts';
import { readProgramsAddress } from './screens/programs/programs-address.ts';
import { readSearchAddress } from './screens/search/search-address.ts';
import { PERIODS_OF_BOT, PERIODS_OF_CHAT, readPeriod } from './screens/statistics/period.ts';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFound /> });

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: only(readFleetFilter),
  component: screen(() => import('./screens/fleet/fleet.tsx'), 'Fleet'),
});

const addBot = createRoute({
  getParentRoute: () => root,
  path: '/bots/add',
  validateSearch: only(readAddedBot),
  component: screen(() => import('./screens/add-bot/add-bot.tsx'), 'AddBot'),
});

const bot = createRoute({
  getParentRoute: () => root,
  path: '/bots/$id',
  component: screen(() => import('./screens/bot/bot.tsx'), 'Bot'),
});
const botOverview = createRoute({
  getParentRoute: () => bot,
  path: '/',
  validateSearch: only(readOverviewAddress),
  component: screen(() => import('./screens/bot/overview.tsx'), 'Overview'),
});
const botLive = createRoute({
  getParentRoute: () => bot,
  path: '/live',
  validateSearch: only(readLiveFilter),
  component: screen(() => import('./screens/live/bot-live.tsx'), 'BotLive'),
});
const live = createRoute({
  getParentRoute: () => root,
  path: '/live',
  validateSearch: only(readLiveFilter),
  component: screen(() => import('./screens/live/live.tsx'), 'LiveScreen'),
});
const botSettings = createRoute({
  getParentRoute: () => bot,
  path: '/settings',
  component: screen(() => import('./screens/bot/bot-settings.tsx'), 'BotSettings'),
});

const botStatistics = createRoute({
  getParentRoute: () => bot,
  path: '/statistics',
  validateSearch: only(readPeriod(PERIODS_OF_BOT)),
  component: screen(() => import('./screens/statistics/bot-statistics.tsx'), 'BotStatistics'),
});

// Without a path of its own: the chat itself is shown by the inbox.
const chat = createRoute({
  getParentRoute: () => root,
  id: 'of-chat',
  component: screen(() => import('./screens/chat/chat.tsx'), 'Chat'),
});
const chatMessages = createRoute({
  getParentRoute: () => root,
  path: '/bots/$id/chats/$chat',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/inbox/$botId/$chatId', params: { botId: params.id, chatId: params.chat } });
  },
});
const chatPeople = createRoute({
  getParentRoute: () => chat,
  path: '/bots/$id/chats/$chat/people',
  validateSearch: only(readPeopleAddress),
  component: screen(() => import('./screens/chat/people.tsx'), 'People'),
});
const chatStatistics = createRoute({
  getParentRoute: () => chat,
  path: '/bots/$id/chats/$chat/statistics',
  validateSearch: only(readPeriod(PERIODS_OF_CHAT)),
  component: screen(() => import('./screens/statistics/chat-statistics.tsx'), 'ChatStatistics'),
});
const chatAudit = createRoute({
  getParentRoute: () => chat,
  path: '/bots/$id/chats/$chat/audit',
  validateSearch: only(readChatAuditAddress),
  component: screen(() => import('./screens/chat/chat-audit.tsx'), 'ChatAudit'),
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: only(readSearchAddress),
  component: screen(() => import('./screens/search/search.tsx'), 'Search'),
});
const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: only(readEventsAddress),
  component: screen(() => import('./screens/events/events.tsx'), 'Events'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: only(readAuditFilter),
  component: screen(() => import('./screens/audit/audit.tsx'), 'Audit'),
});
const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: only(readAccessAddress),
  component: screen(() => import('./screens/access/access.tsx'), 'Access'),
});
const botDeliveries = createRoute({
  getParentRoute: () => bot,
  path: '/deliveries',
  validateSearch: only(readDeliveryFilter),
  component: screen(() => import('./screens/bot/bot-deliveries.tsx'), 'BotDeliveries'),
});
const botUpdate = createRoute({
  getParentRoute: () => bot,
  path: '/updates/$update',
  validateSearch: only(readUpdateAddress),
  component: screen(() => import('./screens/update/update.tsx'), 'Update'),
});
const botPrograms = createRoute({
  getParentRoute: () => bot,
  path: '/programs',
  validateSearch: only(readProgramsAddress),
  component: screen(() => import('./screens/programs/programs.tsx'), 'Programs'),
});
const botRules = createRoute({
  getParentRoute: () => bot,
  path: '/rules',
  component: screen(() => import('./screens/rules/rules.tsx'), 'Rules'),
});
const botQuestions = createRoute({
  getParentRoute: () => bot,
  path: '/questions',
  component: screen(() => import('./screens/questions/questions.tsx'), 'Questions'),
});
const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/deliveries',
  validateSearch: only(readDeliveryFilter),
  component: screen(() => import('./screens/deliveries/deliveries.tsx'), 'Deliveries'),
});
const broadcasts = createRoute({
  getParentRoute: () => root,
  path: '/broadcasts',
});
const broadcastList = createRoute({
  getParentRoute: () => broadcasts,
  path: '/',
  validateSearch: only(readBroadcastFilter),
  component: screen(() => import('./screens/broadcasts/broadcasts.tsx'), 'Broadcasts'),
});
const newBroadcast = createRoute({
  getParentRoute: () => broadcasts,
  path: '/add',
  validateSearch: only(readNewBroadcast),
  component: screen(() => import('./screens/broadcasts/new-broadcast.tsx'), 'NewBroadcast'),
});
const oneBroadcast = createRoute({
  getParentRoute: () => broadcasts,
  path: '/$broadcast',
  component: screen(() => import('./screens/broadcasts/broadcast.tsx'), 'OneBroadcast'),
});
const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  validateSearch: only(readOutboxFilter),
  component: screen(() => import('./screens/outbox/outbox.tsx'), 'Outbox'),
});
const outboxEntry = createRoute({
  getParentRoute: () => outbox,
  path: '/$entry',
  component: screen(() => import('./screens/outbox/entry-details.tsx'), 'OpenEntry'),
});
const botOutbox = createRoute({
  getParentRoute: () => bot,
  path: '/outbox',
  validateSearch: only(readOutboxFilter),
  component: screen(() => import('./screens/outbox/outbox.tsx'), 'BotOutbox'),
});
const botOutboxEntry = createRoute({
  getParentRoute: () => botOutbox,
  path: '/$entry',
  component: screen(() => import('./screens/outbox/entry-details.tsx'), 'OpenEntry'),
});
const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: screen(() => import('./screens/system/system.tsx'), 'System'),
});
const botChats = createRoute({
  getParentRoute: () => bot,
  path: '/chats',
  validateSearch: only(readInboxSearch),
  component: screen(() => import('./screens/inbox/inbox.tsx'), 'BotChats'),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: only(readInboxSearch),
  component: screen(() => import('./screens/inbox/inbox.tsx'), 'Inbox'),
});
// The chat is a part of the screen, which the other chats stay beside.
const inboxChat = createRoute({
  getParentRoute: () => inbox,
  path: '/$botId/$chatId',
  component: screen(() => import('./screens/inbox/chat/chat.tsx'), 'OpenChat'),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([
      fleet,
      addBot,
      inbox.addChildren([inboxChat]),
      outbox.addChildren([outboxEntry]),
      broadcasts.addChildren([broadcastList, newBroadcast, oneBroadcast]),
      deliveries,
      system,
      live,
      bot.addChildren([
        botOverview,
        botChats,
        botLive,
        botOutbox.addChildren([botOutboxEntry]),
        botDeliveries,
        botUpdate,
        botPrograms,
        botRules,
        botQuestions,
        botStatistics,
        botSettings,
      ]),
      chatMessages,
      chat.addChildren([chatPeople, chatStatistics, chatAudit]),
      search,
      events,
      audit,
      access,
    ]),
    basepath: '/console',
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
    // Every value of the query is text: neither `q=007` nor `q=7` is a number.
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    stringifySearch,
  });
}

function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query && `?${query}`;
}

/** The router keeps what `read` leaves out, so that an address with nonsense would reach the screen. */
function only<Search extends object>(read: (search: Record<string, unknown>) => Search) {
  return (search: Record<string, unknown>): Search => {
    const unknown = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...unknown, ...read(search) };
  };
}

/** A part of the page that is loaded when its path is opened. */
function screen<Part extends Record<Name, () => ReactNode>, Name extends string>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazyRouteComponent(() => loadLate(load), name);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
