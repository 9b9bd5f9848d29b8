import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { call } from '../../../call.ts';
import { atOnceAndAfter } from '../../../live/at-once-and-after.ts';
import { type LiveEvent, useLive } from '../../../live.ts';
import { useSession } from '../../../session.tsx';
import { CHATS, chatKey } from '../chats/use-chats.ts';

/** Somebody else of the team who has a chat open. */
export type Colleague = { id: number; name: string; doing: 'viewing' | 'typing' };
type Seen = Colleague & { atMs: number };
type Colleagues = { of(key: string): readonly Colleague[] };

/** They say so every 10 s, and while they type every 3 s. */
const VIEWING_MS = 25_000;
const TYPING_MS = 6_000;
const LOOK_EVERY_MS = 2_000;
const PAUSE_MS = 300;
const NOBODY: readonly Colleague[] = [];
/** Without a stream, the api is asked this often. */
const ASK_EVERY_MS = 30_000;

const ColleaguesContext = createContext<Colleagues | null>(null);

/** Those who look at the chat or write in it now. */
export function useColleagues(): Colleagues {
  return use(ColleaguesContext)!;
}

/** Shows at once what others of the team do: in the list, in the open chat, and who is where. */
export function ColleaguesProvider({ children }: { children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const { account } = useSession();
  const [seen, setSeen] = useState<ReadonlyMap<string, readonly Seen[]>>(new Map());
  const askLists = useMemo(
    () => atOnceAndAfter(PAUSE_MS, () => void queries.invalidateQueries({ queryKey: [CHATS] })),
    [queries],
  );
  const handle = (event: LiveEvent) => {
    if (event.name === 'presence') setSeen((now) => withPresence(now, event.data, account.id));
    if (event.name !== 'chat' && event.name !== 'note') return;
    const chat = [event.data.bot_id, event.data.chat_id];
    void queries.invalidateQueries({ queryKey: ['chat', ...chat] });
    if (event.name === 'note') return;
    // An answer by the api is stored before it is told.
    if (event.data.action === 'send') void queries.invalidateQueries({ queryKey: ['window', ...chat] });
    askLists();
  };
  const stream = useLive(['desk'], handle, askLists);
  const { data: there } = useQuery({
    queryKey: ['presence'],
    queryFn: ({ signal }) => call('listPresence', {}, signal),
    refetchInterval: stream === 'live' ? false : ASK_EVERY_MS,
    retry: false,
  });
  useEffect(() => {
    if (there !== undefined) setSeen((now) => there.reduce((all, one) => withPresence(all, one, account.id), now));
  }, [there, account.id]);
  const isEmpty = seen.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const timer = setInterval(() => setSeen(withoutGone), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isEmpty]);
  const colleagues = useMemo(() => ({ of: (key: string) => seen.get(key)?.map(nowOf) ?? NOBODY }), [seen]);
  return <ColleaguesContext value={colleagues}>{children}</ColleaguesContext>;
}

type Presence = Extract<LiveEvent, { name: 'presence' }>['data'];
type All = ReadonlyMap<string, readonly Seen[]>;

function withPresence(seen: All, presence: Presence, ownId: number): All {
  const { account_id: id, account: name = '', doing } = presence;
  if (id === undefined || id === ownId) return seen;
  const key = chatKey({ ...presence, id: presence.chat_id });
  const others = (seen.get(key) ?? []).filter((one) => one.id !== id);
  return new Map(seen).set(key, doing === 'left' ? others : [...others, { id, name, doing, atMs: Date.now() }]);
}

function withoutGone(seen: All): All {
  const since = Date.now() - VIEWING_MS;
  const there = [...seen].map(([key, those]) => [key, those.filter(({ atMs }) => atMs > since)] as const);
  return new Map(there.filter(([, those]) => those.length > 0));
}

function nowOf({ atMs, doing, ...who }: Seen): Colleague {
  return { ...who, doing: doing === 'typing' && Date.now() - atMs < TYPING_MS ? 'typing' : 'viewing' };
}
