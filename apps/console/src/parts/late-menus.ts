import { loadLate } from '../load-late.ts';
import type { menuParts } from './menu-parts.ts';
import { useAhead } from './use-ahead.ts';

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
  useAhead(importMenus);
}

async function importMenus(): Promise<MenuParts> {
  const { menuParts } = await import('./menu-parts.ts');
  loaded = menuParts;
  return menuParts;
}
