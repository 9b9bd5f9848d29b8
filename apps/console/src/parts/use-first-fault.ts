import { type RefObject, useEffect } from 'react';

/** Moves the focus to the first field that is wrong, whenever `faults` is another object. */
export function useFirstFault(form: RefObject<HTMLElement | null>, faults: object): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: new faults are the occasion
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    field?.focus();
    // A bar of buttons may lie over it.
    field?.scrollIntoView({ block: 'center' });
  }, [form, faults]);
}
