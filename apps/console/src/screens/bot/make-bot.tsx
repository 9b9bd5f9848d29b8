import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { type LiveEvent, useLive } from '../../live.ts';
import { CodePicture } from '../../parts/code-picture.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Secret } from '../../parts/shown-once.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { FirstUpdate } from '../add-bot/first-update.tsx';
import { type SeenUpdate, seeCall, seeUpdate } from '../add-bot/newest-update.ts';
import { useSettingsWords } from './settings-words.ts';

/** Of the bots that were added, that many are looked at. */
const NEWEST = 20;

/** The link by which somebody makes a bot. It waits, and shows the new bot and then its first update. */
export function MakeBot({ parent, close }: { parent: BotResource; close: () => void }): ReactNode {
  const words = useSettingsWords();
  const link = useQuery({
    queryKey: ['creation-link', parent.id],
    queryFn: ({ signal }) => call('showCreationLink', { bot_id: parent.id }, signal),
    // Each proposes another username.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { made, before } = useMadeBot(parent);
  // Before, nobody would notice the bot that the link makes.
  const shown = before.data === undefined ? undefined : link.data;
  return (
    <Dialog title={words.make} description={words.makeDescription} className="narrow" close={close}>
      {link.isError && <Failure error={link.error} retry={() => void link.refetch()} />}
      {before.isError && <Failure error={before.error} retry={() => void before.refetch()} />}
      {made === undefined && shown && (
        <>
          <CodePicture text={shown.link} label={words.makePicture} />
          <Secret text={shown.link} />
        </>
      )}
      <p role="status" className="state">
        {(made ?? shown) && (
          <>
            <StateMark state={made ? 'ok' : 'not_polled'} />
            {made ? words.makeDone : words.makeWaits}
          </>
        )}
      </p>
      {made && <Made bot={made} />}
    </Dialog>
  );
}

/** The new bot, and its first update as the stream brings it. */
function Made({ bot: made }: { bot: BotResource }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const id = String(made.id);
  const [seen, setSeen] = useState<SeenUpdate>();
  const handle = ({ name, data }: LiveEvent) => {
    if (name === 'call') setSeen((before) => seeCall(data.chat_id, before));
    if (name !== 'update') return;
    setSeen((before) => seeUpdate(data.update_id, data.chat_id, before));
    void queries.invalidateQueries({ queryKey: ['bot', id] });
  };
  const ask = () => void queries.invalidateQueries({ queryKey: ['bot', id] });
  // Updates from a time without a stream are in the state of the bot.
  useLive([`bot:${id}`], handle, ask);
  const { data: bot = made } = useQuery({
    queryKey: ['bot', id],
    queryFn: ({ signal }) => call('showBot', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
  const link = useRef<HTMLAnchorElement>(null);
  // The button that copied the link is gone, and the focus with it.
  useEffect(() => {
    if (!document.activeElement?.matches('a, button')) link.current?.focus();
  }, []);
  return (
    <>
      <Link ref={link} to="/bots/$id" params={{ id }}>
        {words.makeOpen}: <bdi>{bot.name}</bdi>
      </Link>
      <FirstUpdate bot={bot} seen={seen} />
    </>
  );
}

/** The first bot that was adopted since the dialog was ready for it. */
function useMadeBot(parent: BotResource) {
  const queries = useQueryClient();
  const ask = () => void queries.invalidateQueries({ queryKey: ['made-bot', parent.id] });
  useLive(['fleet'], ({ name, data }) => name === 'bot' && data.parent_bot_id === parent.id && ask(), ask);
  const before = useQuery({
    queryKey: ['made-before', parent.id],
    queryFn: async ({ signal }) => (await added(1, signal)).at(0)?.id ?? 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const since = before.data;
  const found = useQuery({
    queryKey: ['made-bot', parent.id, since],
    async queryFn({ signal }) {
      const news = (await added(NEWEST, signal)).filter(({ id }) => id > (since ?? 0));
      const ids = news.flatMap(({ bot_id }) => bot_id ?? []).join(',');
      const bots = ids === '' ? [] : await call('listBots', { ids }, signal);
      return bots.find(({ parent_bot_id }) => parent_bot_id === parent.id) ?? null;
    },
    refetchInterval: REFRESH_MS,
    enabled: since !== undefined,
  });
  return { made: found.data ?? undefined, before };
}

const added = (limit: number, signal: AbortSignal) => call('listEvents', { kinds: 'bot.added', limit }, signal);
