const RELOADED_AT = 'flotilla-reloaded-at';
const AGAIN_AFTER_MS = 60_000;

let ahead = 0;

/**
 * A page of one release may ask for files that the release behind it lacks. One reload gets the other page; if that
 * does not help, the error is shown.
 */
export function reloadForNewRelease(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (ahead > 0) return;
    const reloadedAtMs = Number(sessionStorage.getItem(RELOADED_AT));
    if (Date.now() - reloadedAtMs < AGAIN_AFTER_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}

/** Loads what may be needed later. If that fails, nobody misses it yet: the page with its data stays. */
export async function loadAhead(load: () => Promise<unknown>): Promise<void> {
  ahead += 1;
  await load().catch(() => {});
  ahead -= 1;
}
