import { useEffect, useRef, useState } from 'react';

/** The text, at most one in so many milliseconds: screen readers must not be flooded. */
export function useThrottled(text: string, everyMs: number): string {
  const [said, setSaid] = useState(text);
  const saidAtMs = useRef(0);
  useEffect(() => {
    if (text === said) return;
    const waitMs = Math.max(0, saidAtMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      saidAtMs.current = performance.now();
      setSaid(text);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [text, said, everyMs]);
  return said;
}
