import type { Page } from '@flotilla/testing/browser.ts';
import { HOSTILE } from './hostile-names.ts';
import type { HostileScene } from './hostile-scene.ts';

/** For each route of the console, addresses that show it with something in it. A route without any fails the test. */
export function everyScreen(scene: HostileScene): Readonly<Record<string, readonly string[]>> {
  const { bot, other, group, person, topic, update, program, entry, broadcast, key } = scene;
  const chat = `bots/${bot}/chats/${group}`;
  return {
    '/': ['', '?sort=pending', '?range=day', '?attention=poller_silent'],
    '/bots/add': ['bots/add'],
    '/inbox': ['inbox', 'inbox?unread=1'],
    '/inbox/$botId/$chatId': [
      `inbox/${bot}/${group}`,
      `inbox/${bot}/${group}?topic=${topic}`,
      `inbox/${bot}/${person}`,
    ],
    '/outbox': ['outbox'],
    '/outbox/$entry': [`outbox/${entry}`],
    '/broadcasts': ['broadcasts'],
    '/broadcasts/add': [`broadcasts/add?bot=${bot}`],
    '/broadcasts/$broadcast': [`broadcasts/${broadcast}`],
    '/deliveries': [
      'deliveries',
      'deliveries?state=retrying',
      'deliveries?state=attempts',
      `deliveries?open=${bot}.push.900000000000`,
    ],
    '/system': ['system'],
    '/live': [`live?bots=${bot}`],
    '/search': [`search?q=${HOSTILE.cyrillic.slice(0, 5)}&bot=${bot}&chat=${group}`, `search?q=${HOSTILE.word}`],
    '/events': ['events'],
    '/audit': ['audit', 'audit?open=1'],
    '/access': ['access', 'access?open=1', 'access?view=keys', `access?view=keys&open=${key}`, 'access?view=sessions'],
    '/bots/$id': [`bots/${bot}`, `bots/${bot}?range=day`, `bots/${other}`],
    '/bots/$id/chats': [`bots/${bot}/chats`],
    '/bots/$id/live': [`bots/${bot}/live`],
    '/bots/$id/outbox': [`bots/${bot}/outbox`],
    '/bots/$id/outbox/$entry': [`bots/${bot}/outbox/${entry}`],
    '/bots/$id/deliveries': [`bots/${bot}/deliveries`, `bots/${bot}/deliveries?state=attempts`],
    '/bots/$id/updates/$update': [`bots/${bot}/updates/${update}`],
    '/bots/$id/programs': [`bots/${bot}/programs`, `bots/${bot}/programs?open=${program}`],
    '/bots/$id/rules': [`bots/${bot}/rules`],
    '/bots/$id/questions': [`bots/${bot}/questions`],
    '/bots/$id/statistics': [`bots/${bot}/statistics`],
    '/bots/$id/settings': [`bots/${bot}/settings`],
    // It leads to the inbox.
    '/bots/$id/chats/$chat': [chat],
    '/bots/$id/chats/$chat/people': [`${chat}/people`, `${chat}/people?user=${person}`],
    '/bots/$id/chats/$chat/statistics': [`${chat}/statistics`],
    '/bots/$id/chats/$chat/audit': [`${chat}/audit`],
  };
}

export const REDIRECTED: Readonly<Record<string, string>> = { '/bots/$id/chats/$chat': '/inbox/$botId/$chatId' };

/** The paths of all routes, as the router of the page has them. */
export async function routesOf(page: Page): Promise<string[]> {
  return page.evaluate('Object.keys(window.__TSR_ROUTER__.routesByPath)');
}

/** The path of the route that the page shows. */
export async function shownRoute(page: Page): Promise<string> {
  return page.evaluate("window.__TSR_ROUTER__.state.matches.at(-1).fullPath.replace(/(?<=.)\\/$/, '')");
}
