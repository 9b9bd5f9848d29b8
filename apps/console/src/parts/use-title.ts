import { useEffect } from 'react';

let shown = { title: 'Flotilla', count: '' };

/** Names the page in the tab of the browser and in its history. */
export function useTitle(title: string): void {
  useEffect(() => show({ title: `${title} · Flotilla` }), [title]);
}

/** Puts a number before the name of the page, whatever page that is; '' for none. */
export function useTitleCount(count: string): void {
  useEffect(() => show({ count }), [count]);
  useEffect(() => () => show({ count: '' }), []);
}

function show(change: Partial<typeof shown>): void {
  shown = { ...shown, ...change };
  document.title = shown.count === '' ? shown.title : `(${shown.count}) ${shown.title}`;
}
