import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { loadAhead, loadLate } from '../load-late.ts';
import type { menuParts } from './menu-parts.ts';

/** The first screen does without menus, so their script comes after it. */
export type MenuParts = typeof menuParts;

let loaded: MenuParts | null = null;

/** Without a wait once they are there: keys that are typed meanwhile would be lost. */
export function loadedMenus(): MenuParts | null {
  return loaded;
}

export function loadMenus(): Promise<MenuParts> {
  return loadLate(importMenus);
}

/** Loads them once the screen has its data. */
export function useMenusLater(): void {
  const isQuiet = useIsFetching() === 0;
  const [wanted, setWanted] = useState(false);
  if (isQuiet && !wanted) setWanted(true);
  useEffect(() => {
    if (!wanted) return;
    const load = () => void loadAhead(importMenus);
    if (!('requestIdleCallback' in window)) return load();
    const idle = requestIdleCallback(load);
    return () => cancelIdleCallback(idle);
  }, [wanted]);
}

async function importMenus(): Promise<MenuParts> {
  const { menuParts } = await import('./menu-parts.ts');
  loaded = menuParts;
  return menuParts;
}
