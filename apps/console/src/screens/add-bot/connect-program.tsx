import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { useLive } from '../../live.ts';
import { Failure } from '../../parts/failure.tsx';
import { StepTitle } from '../../parts/steps.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import type { Way } from './added-bot.ts';
import { FirstUpdate } from './first-update.tsx';
import { LibraryLines } from './library-lines.tsx';

const WAITING_REFRESH_MS = 2_000;
const REFRESH_MS = 10_000;

/** What to change in the bot's program, and whether its first update has come. */
export function ConnectProgram({ id }: { id: string }): ReactNode {
  const words = useAddBotWords();
  const queries = useQueryClient();
  useLive([`bot:${id}`], ({ name }) => {
    if (name === 'update') void queries.invalidateQueries({ queryKey: ['bot', id] });
  });
  const bot = useQuery({
    queryKey: ['bot', id],
    queryFn: ({ signal }) => call('showBot', { id }, signal),
    refetchInterval: ({ state }) => (state.data?.last_update_at ? REFRESH_MS : WAITING_REFRESH_MS),
  });
  if (bot.data === undefined) return bot.isError && <Failure error={bot.error} retry={() => void bot.refetch()} />;
  return (
    <>
      <section className="panel">
        <StepTitle>{words.connect(bot.data.name)}</StepTitle>
        <p>{words.change[wayOf(bot.data)]}</p>
        <LibraryLines />
      </section>
      <FirstUpdate bot={bot.data} />
      <p className="dialog-actions">
        <Link to="/bots/add" className="button plain">
          {words.another}
        </Link>
        <Link to="/bots/$id" params={{ id }} className="button primary">
          {words.openBot}
        </Link>
      </p>
    </>
  );
}

function wayOf({ proxy_enabled, long_poll_enabled }: BotResource): Way {
  if (proxy_enabled) return 'push';
  return long_poll_enabled ? 'pull' : 'none';
}
