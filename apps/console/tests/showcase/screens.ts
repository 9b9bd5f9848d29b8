import type { Page } from '@flotilla/testing/browser.ts';
import { ADA } from './conversations.ts';
import type { Shown } from './play-day.ts';

/** A screen of the pictures: its address, what is there when it is complete, and its window. */
type Screen = { path(day: Shown): string; ready(page: Page): Promise<unknown>; viewport: Size };
type Size = { width: number; height: number };

const DESK: Size = { width: 1280, height: 840 };
const PHONE: Size = { width: 390, height: 844 };
const chart = (page: Page) => page.getByRole('img', { name: /^Activity\./ }).waitFor();
async function fleetIsThere(page: Page): Promise<void> {
  await page.locator('.day-cell .spark').nth(5).waitFor();
  await page.locator('.attention .since').nth(3).waitFor();
  // Figures are taken every 30 s.
  await page
    .locator('.figures .alarming')
    .getByText(/^[1-9]\d+$/)
    .waitFor({ timeout: 60_000 });
}
async function pictures(page: Page): Promise<void> {
  await page.locator('.feed img').first().waitFor();
  await page.locator('.chat-head .avatar img').waitFor();
}

export const SCREENS: Readonly<Record<string, Screen>> = {
  fleet: {
    path: () => '',
    ready: fleetIsThere,
    viewport: DESK,
  },
  connect: {
    path: ({ botOf }) => `bots/add?bot=${botOf('deploys').id}`,
    ready: (page) => page.getByText('The first update has arrived.').waitFor(),
    viewport: DESK,
  },
  activity: {
    path: () => '?range=day',
    ready: chart,
    viewport: DESK,
  },
  bot: {
    path: ({ botOf }) => `bots/${botOf('north_store').id}?range=day`,
    ready: chart,
    viewport: DESK,
  },
  inbox: {
    path: ({ botOf }) => `inbox/${botOf('north_support').id}/${ADA}`,
    ready: pictures,
    viewport: DESK,
  },
  update: {
    path: ({ botOf, update }) => `bots/${botOf('north_store').id}/updates/${update}`,
    ready: (page) => page.getByText('Order 4388 left').first().waitFor(),
    viewport: DESK,
  },
  deliveries: {
    path: () => 'deliveries?state=dead',
    ready: (page) => page.getByText('502').first().waitFor(),
    viewport: DESK,
  },
  broadcast: {
    path: ({ broadcast }) => `broadcasts/${broadcast}`,
    ready: (page) => page.locator('.failures').waitFor(),
    viewport: DESK,
  },
  outbox: {
    path: ({ botOf }) => `bots/${botOf('north_support').id}/outbox`,
    ready: (page) => page.getByText('Your courier comes').first().waitFor(),
    viewport: DESK,
  },
  rules: {
    path: ({ botOf }) => `bots/${botOf('north_store').id}/rules`,
    ready: (page) => page.getByRole('region', { name: 'Decisions of the router' }).getByRole('link').first().waitFor(),
    viewport: DESK,
  },
  events: {
    path: () => 'events',
    ready: (page) => page.getByRole('table', { name: 'Events' }).getByText('Bot added').first().waitFor(),
    viewport: DESK,
  },
  'inbox-phone': {
    path: ({ botOf }) => `inbox/${botOf('north_support').id}/${ADA}`,
    ready: pictures,
    viewport: PHONE,
  },
};
