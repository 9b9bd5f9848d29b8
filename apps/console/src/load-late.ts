import { noteOutage, outageNow } from './outage.ts';

const RELOADED_AT = 'flotilla-reloaded-at';
const RELOADS_AGAIN_AFTER_MS = 60_000;
const ASK_EVERY_MS = 3_000;

let reloads = false;

/**
 * Loads what somebody waits for. A browser asks for a script once, and keeps its failure: only a fresh page helps. While
 * no api answers, the page stays and says so. If one answers, the file is of another release, whose page knows its name.
 */
export async function loadLate<Part>(load: () => Promise<Part>): Promise<Part> {
  const wantedAt = window.location.href;
  if (outageNow() === 'network') await untilAnswered();
  try {
    return await load();
  } catch (error) {
    await untilAnswered();
    // Who has gone elsewhere meanwhile loses nothing of what is there. The router would reload for the browser's own error.
    if (window.location.href !== wantedAt || !mayReload()) throw new Error('A script is missing', { cause: error });
    freshPage();
    return new Promise(() => {});
  }
}

/** Loads what may be needed later. If that fails, nobody misses it yet: the page with its data stays. */
export async function loadAhead(load: () => Promise<unknown>): Promise<void> {
  await load().catch(() => {});
}

/** The page anew, as soon as an api can give it. */
export async function reloadWhenAnswered(): Promise<void> {
  await untilAnswered();
  freshPage();
}

/** If one reload did not help, another one so soon does not either: the error is shown. */
function mayReload(): boolean {
  return reloads || Date.now() - reloadedAtMs() >= RELOADS_AGAIN_AFTER_MS;
}

/** A browser may forbid storage. Without it nobody knows, and rather no reload than one after another. */
function reloadedAtMs(): number {
  try {
    return Number(sessionStorage.getItem(RELOADED_AT));
  } catch {
    return Date.now();
  }
}

function freshPage(): void {
  if (reloads) return;
  reloads = true;
  try {
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  } catch {
    // See reloadedAtMs.
  }
  window.location.reload();
}

async function untilAnswered(): Promise<void> {
  while (!(await answers())) {
    noteOutage('network');
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

/** True if a reload would get the page. A load balancer answers with an error in the place of an api that is away. */
async function answers(): Promise<boolean> {
  const page = await fetch('/console/', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return page !== null && page.status < 500;
}
