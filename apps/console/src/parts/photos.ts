import { useEffect, useState } from 'react';

/** Of the six connections of a browser most stay free: a photo may wait for the platform. */
const AT_ONCE = 2;
/** Who scrolls past somebody asks for no photo. */
const SETTLED_MS = 200;
/** A photo that was asked for is not asked for again. */
const KEPT_MS = { shown: 3_600_000, missing: 300_000 };
const MOST_KNOWN = 2_000;

type Told = (isThere: boolean) => void;

const wanted = new Map<string, Set<Told>>();
const loading = new Set<string>();
const known = new Map<string, { isThere: boolean; untilMs: number }>();

export function photoOfChat(botId: number, chatId: number): string {
  return `/api/chats/photo?bot_id=${botId}&chat_id=${chatId}`;
}

/** Of somebody who has written in the chat. */
export function photoOfAuthor(botId: number, chatId: number, userId: number): string {
  return `/api/users/photo?bot_id=${botId}&chat_id=${chatId}&user_id=${userId}`;
}

/** The address of a photo, once the browser has it; undefined before, and where there is none. */
export function usePhoto(address: string | undefined): string | undefined {
  const [shown, setShown] = useState(address !== undefined && isKnown(address) ? address : undefined);
  useEffect(() => {
    if (address === undefined || isKnown(address) === false) return;
    if (isKnown(address)) return setShown(address);
    let leave = () => {};
    const timer = setTimeout(() => {
      if (isKnown(address)) return setShown(address);
      leave = want(address, (isThere) => setShown(isThere ? address : undefined));
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [address]);
  return shown === address ? shown : undefined;
}

function isKnown(address: string): boolean | undefined {
  const one = known.get(address);
  return one !== undefined && one.untilMs > Date.now() ? one.isThere : undefined;
}

/** Waits for a turn, which is given up with what is returned. */
function want(address: string, tell: Told): () => void {
  const all = wanted.get(address) ?? new Set();
  wanted.set(address, all.add(tell));
  loadNext();
  return () => {
    all.delete(tell);
    if (all.size === 0 && !loading.has(address)) wanted.delete(address);
  };
}

function loadNext(): void {
  for (const address of wanted.keys()) {
    if (loading.size >= AT_ONCE) return;
    if (!loading.has(address)) void load(address);
  }
}

async function load(address: string): Promise<void> {
  loading.add(address);
  const image = new Image();
  image.fetchPriority = 'low';
  image.src = address;
  const isThere = await image.decode().then(
    () => true,
    () => false,
  );
  known.set(address, { isThere, untilMs: Date.now() + (isThere ? KEPT_MS.shown : KEPT_MS.missing) });
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(oldest);
  }
  loading.delete(address);
  for (const tell of wanted.get(address) ?? []) tell(isThere);
  wanted.delete(address);
  loadNext();
}
