import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { type LiveEvent, useLive } from '../../live.ts';
import { Failure } from '../../parts/failure.tsx';
import { StepTitle } from '../../parts/steps.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import type { Way } from './added-bot.ts';
import { FirstUpdate } from './first-update.tsx';
import { type SeenUpdate, seeCall, seeUpdate } from './newest-update.ts';
import { ProgramTabs } from './program-tabs.tsx';

const WAITING_REFRESH_MS = 2_000;
const REFRESH_MS = 10_000;

/** The steps in the bot's program, and a look at its first update. */
export function ConnectProgram({ id, token }: { id: string; token: string | undefined }): ReactNode {
  const words = useAddBotWords();
  const queries = useQueryClient();
  const [seen, setSeen] = useState<SeenUpdate>();
  const hear = ({ name, data }: LiveEvent) => {
    if (name === 'call') setSeen((before) => seeCall(data.chat_id, before));
    if (name !== 'update') return;
    setSeen((before) => seeUpdate(data.update_id, data.chat_id, before));
    void queries.invalidateQueries({ queryKey: ['bot', id] });
  };
  // Updates from a time without a stream come at once with the next one.
  useLive([`bot:${id}`], hear, () => setSeen(undefined));
  const bot = useQuery({
    queryKey: ['bot', id],
    queryFn: ({ signal }) => call('showBot', { id }, signal),
    refetchInterval: ({ state }) => (state.data?.last_update_at ? REFRESH_MS : WAITING_REFRESH_MS),
  });
  if (bot.data === undefined) return bot.isError && <Failure error={bot.error} retry={() => void bot.refetch()} />;
  const way = wayOf(bot.data);
  return (
    <div className="connect-program">
      <section className="panel">
        <StepTitle>{words.connect(bot.data.name)}</StepTitle>
        <p className="connect-hint">{words.change[way]}</p>
        <ProgramTabs polls={way === 'pull'} token={token} />
      </section>
      <div className="first-hour">
        <FirstUpdate bot={bot.data} seen={seen} />
        <p className="dialog-actions">
          <Link to="/bots/add" className="button plain">
            {words.another}
          </Link>
          <Link to="/bots/$id" params={{ id }} className={`button ${bot.data.last_update_at ? 'primary' : 'plain'}`}>
            {words.openBot}
          </Link>
        </p>
      </div>
    </div>
  );
}

function wayOf({ proxy_enabled, long_poll_enabled }: BotResource): Way {
  if (proxy_enabled) return 'push';
  return long_poll_enabled ? 'pull' : 'none';
}
