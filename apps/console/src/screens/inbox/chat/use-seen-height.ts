import { useEffect } from 'react';

const SEEN = '--seen-height';

/** Lets the chat end above a keyboard that lies over the page, as that of an iPhone does. */
export function useSeenHeight(): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (seen === null) return;
    const { style } = document.documentElement;
    const fit = (): unknown => {
      // Who has zoomed in sees a part of the page, and no keyboard made it small.
      if (seen.scale > 1.01) return style.removeProperty(SEEN);
      style.setProperty(SEEN, `${seen.height}px`);
      // The browser has moved the page to show the field, which is in sight now.
      if (window.scrollY > 0) window.scrollTo(0, 0);
    };
    fit();
    seen.addEventListener('resize', fit);
    seen.addEventListener('scroll', fit);
    return () => {
      seen.removeEventListener('resize', fit);
      seen.removeEventListener('scroll', fit);
      style.removeProperty(SEEN);
    };
  }, []);
}
