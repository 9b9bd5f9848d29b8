import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { DialogProps } from './dialog-popup.tsx';
import { loadedOverlays, loadOverlays } from './overlays.ts';

const LatePopup = lazy(async () => ({ default: (await loadOverlays()).DialogPopup }));

/** Lies over the page while it is rendered, and keeps the focus; Escape and a press beside it close it. */
export function Dialog(props: DialogProps): ReactNode {
  // For as long as it is open: another component would begin anew.
  const [Popup] = useState(() => loadedOverlays()?.DialogPopup ?? LatePopup);
  return (
    <Suspense fallback={null}>
      <Popup {...props} />
    </Suspense>
  );
}
