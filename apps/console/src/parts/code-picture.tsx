import type { ReactNode } from 'react';
import { encode } from 'uqr';
import './code-picture.css';

const QUIET = 2;

/** A QR code, dark on light in both themes, because cameras expect that. */
export function CodePicture({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { border: QUIET });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className="code-picture"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={dark.join('')} />
    </svg>
  );
}
