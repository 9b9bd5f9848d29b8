import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { useState } from 'react';

/** The entry that the address says is open; it stays, also when the list has gone on. */
export function useOpenedEntry(
  rows: readonly AuditEntryResource[],
  open: string | undefined,
): AuditEntryResource | undefined {
  const listed = rows.find(({ id }) => String(id) === open);
  const [opened, setOpened] = useState(listed);
  if (listed !== undefined && listed !== opened) setOpened(listed);
  return opened !== undefined && String(opened.id) === open ? opened : undefined;
}
