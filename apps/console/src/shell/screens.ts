import type { AccountResource } from '@flotilla/contract/accounts.ts';
import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../parts/icon.tsx';
import { mayBroadcast } from '../session.tsx';
import type { Words } from '../words/en.ts';

type Screen = {
  name: keyof Words['nav'];
  to: NonNullable<LinkProps['to']>;
  icon: IconName;
  /** Pressed after `g`. */
  key: string;
  adminOnly?: true;
  /** For those who may make broadcasts. */
  ofBroadcasters?: true;
};

/** The screens of the navigation, of the command palette and of the shortcuts, in the order of the navigation. */
const SCREENS: readonly Screen[] = [
  { name: 'fleet', to: '/', icon: 'fleet', key: 'f' },
  { name: 'inbox', to: '/inbox', icon: 'inbox', key: 'i' },
  { name: 'live', to: '/live', icon: 'live', key: 'l' },
  { name: 'outbox', to: '/outbox', icon: 'outbox', key: 'o' },
  { name: 'broadcasts', to: '/broadcasts', icon: 'broadcasts', key: 'b', ofBroadcasters: true },
  { name: 'deliveries', to: '/deliveries', icon: 'deliveries', key: 'd' },
  { name: 'events', to: '/events', icon: 'events', key: 'e' },
  { name: 'search', to: '/search', icon: 'search', key: 's' },
  { name: 'audit', to: '/audit', icon: 'audit', key: 'a', adminOnly: true },
  { name: 'access', to: '/access', icon: 'access', key: 'p' },
  { name: 'system', to: '/system', icon: 'system', key: 'y', adminOnly: true },
];

export function screensOf(account: AccountResource): readonly Screen[] {
  return SCREENS.filter(
    ({ adminOnly, ofBroadcasters }) =>
      (!adminOnly || account.role === 'admin') && (!ofBroadcasters || mayBroadcast(account)),
  );
}
