import type { ReactNode } from 'react';

/** Strokes of 24 × 24, drawn in the colour of the text. */
const STROKES = {
  fleet: 'M4 7h16M4 12h16M4 17h16M8 7v0M8 12v0M8 17v0',
  deliveries: 'M4 12h11M11 7l5 5-5 5M20 5v14',
  system: 'M4 5h16v5H4zM4 14h16v5H4zM8 7.5v0M8 16.5v0',
  warning: 'M12 4L21.5 20h-19zM12 10v4.5M12 17.3v0',
  document: 'M7 3h7l5 5v13H7zM14 3v5h5M10 13h6M10 17h6',
  queues: 'M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  outbox: 'M4 12L20 4l-4.5 16-4-6.5zM11.5 13.5L20 4',
  broadcasts: 'M4 10v4h3l8 4V6l-8 4zM18 9a4 4 0 0 1 0 6M8 14l1.5 5',
  later: 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16M12 8v4.5l3 2',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  search: 'M11 5a6 6 0 1 0 0 12a6 6 0 1 0 0-12M20 20l-4.6-4.6',
  live: 'M3 12h4l2.5-7 5 14 2.5-7h4',
  down: 'M7 10l5 5 5-5',
  back: 'M14 6l-6 6 6 6',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5',
  audit: 'M6 4h12v16H6zM9 8h6M9 12h6M9 16h3',
  access:
    'M9 4a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 5a3 3 0 0 1 0 6M18 14.5c2.2.7 3.5 2.6 3.5 5.5',
  events: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 2.5h4l1-2.5h5',
  more: 'M5.5 11.6a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8M12 11.6a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8M18.5 11.6a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8',
  attach: 'M19 11.5l-7.5 7.5a4.5 4.5 0 0 1-6.4-6.4l7.9-7.9a3 3 0 0 1 4.3 4.3l-7.6 7.6a1.5 1.5 0 0 1-2.2-2.2l6.8-6.8',
  keyboard: 'M3 7h18v10H3zM7 11v0M11 11v0M15 11v0M8 14h8',
  play: 'M8 5l11 7-11 7z',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  note: 'M5 4h14v10l-5 6H5zM14 20v-6h5M9 9h6',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  plus: 'M12 5v14M5 12h14',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
} as const;

export type IconName = keyof typeof STROKES;

/** A picture beside a text; it says nothing by itself. */
export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={STROKES[name]} />
    </svg>
  );
}

/** The sail of the product. */
export function BrandMark(): ReactNode {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M15 6v14H6zM17.5 10v10H25zM5 22h22l-3 4H8z" />
    </svg>
  );
}
