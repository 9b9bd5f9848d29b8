const RELOADED_AT = 'flotilla-reloaded-at';
const AGAIN_AFTER_MS = 60_000;

/**
 * A page of one release may ask for files that the release behind it lacks. One reload gets the other page; if that
 * does not help, the error is shown. While no api answers, the page with its data is better than that of the browser.
 */
export function reloadForNewRelease(): void {
  window.addEventListener('vite:preloadError', () => {
    const reloadedAtMs = Number(sessionStorage.getItem(RELOADED_AT));
    if (Date.now() - reloadedAtMs < AGAIN_AFTER_MS) return;
    void fetch(window.location.href).then(({ ok }) => {
      if (!ok) return;
      sessionStorage.setItem(RELOADED_AT, String(Date.now()));
      window.location.reload();
    }, noApi);
  });
}

function noApi(): void {}
