import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { loadAhead } from '../reload-for-new-release.ts';
import type { DialogPopup } from './dialog-popup.tsx';
import type { menuParts } from './menu-parts.ts';

/** What lies over the page. The first screen does without, so its script comes after it. */
export type Overlays = { DialogPopup: typeof DialogPopup; menuParts: typeof menuParts };

let loaded: Overlays | null = null;

/** Without a wait once they are there: keys that are typed meanwhile would be lost. */
export function loadedOverlays(): Overlays | null {
  return loaded;
}

export async function loadOverlays(): Promise<Overlays> {
  // They are in one file. Two loads at once would fail one after the other, the second one unexpected (loadAhead).
  const dialog = await import('./dialog-popup.tsx');
  const menu = await import('./menu-parts.ts');
  loaded = { ...dialog, ...menu };
  return loaded;
}

/** Loads them once the screen has its data. */
export function useOverlaysLater(): void {
  const isQuiet = useIsFetching() === 0;
  const [wanted, setWanted] = useState(false);
  if (isQuiet && !wanted) setWanted(true);
  useEffect(() => {
    if (!wanted) return;
    const load = () => void loadAhead(loadOverlays);
    if (!('requestIdleCallback' in window)) return load();
    const idle = requestIdleCallback(load);
    return () => cancelIdleCallback(idle);
  }, [wanted]);
}
