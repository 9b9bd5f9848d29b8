import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useAddBotWords } from './add-bot-words.ts';

const REFRESH_MS = 2_000;

/** Says when the first update of the bot has come, and what was written. */
export function FirstUpdate({ bot }: { bot: BotResource }): ReactNode {
  const words = useAddBotWords();
  const { last_update_at: at, pending_update_count: waiting } = bot;
  const said = useQuery({
    queryKey: ['first-message', bot.id],
    queryFn: ({ signal }) => call('listChats', { bot_id: bot.id, order: 'recent', limit: 1 }, signal),
    // The history follows the update a moment later.
    refetchInterval: ({ state }) => (state.data?.[0]?.last_message ? false : REFRESH_MS),
    enabled: at !== undefined && bot.manage_enabled,
  });
  const message = said.data?.[0]?.last_message;
  return (
    <section className="panel first-update" aria-labelledby="first-update">
      <h2 id="first-update">{words.first}</h2>
      <p role="status" className="state">
        <StateMark state={at ? 'ok' : 'not_polled'} />
        {at ? words.arrived : words.waiting}
      </p>
      {at === undefined && <Invitation bot={bot} />}
      {at !== undefined && (
        <p>
          {message && (
            <>
              {words.said(message.first_name ?? message.username ?? '')}: <q dir="auto">{message.text}</q>{' '}
            </>
          )}
          <small className="muted">
            <Ago at={at} />
          </small>
        </p>
      )}
      {at !== undefined && <Taken botId={bot.id} />}
      {at !== undefined && waiting > 0 && <p className="muted">{words.inLine(waiting)}</p>}
    </section>
  );
}

/** That the program has the newest update, and how long after it came where that is known. */
function Taken({ botId }: { botId: number }): ReactNode {
  const words = useAddBotWords();
  const number = useNumber();
  const taken = useQuery({
    queryKey: ['first-taken', botId],
    queryFn: ({ signal }) => readTaken(botId, signal),
    refetchInterval: ({ state }) => (state.data ? false : REFRESH_MS),
  });
  if (!taken.data) return null;
  const { afterMs } = taken.data;
  return (
    <p role="status" className="state">
      <StateMark state="ok" />
      {afterMs === null ? words.taken : words.takenAfter(number(afterMs))}
    </p>
  );
}

/** Null while the program has not taken the newest update; `afterMs` is null for one that polls. */
async function readTaken(botId: number, signal: AbortSignal): Promise<{ afterMs: number | null } | null> {
  const [newest] = await call('listUpdates', { bot_id: botId, limit: 1 }, signal);
  if (newest === undefined) return null;
  const { readers } = await call('showUpdate', { bot_id: botId, update_id: newest.update_id }, signal);
  const reader = readers.find(({ reader: name, outcome }) => outcome === 'delivered' && name !== 'rules');
  if (reader === undefined) return null;
  const last = reader.attempts.findLast(({ ok }) => ok);
  if (last === undefined) return { afterMs: null };
  return { afterMs: Math.max(0, Date.parse(last.at) + last.duration_ms - Date.parse(newest.at)) };
}

function Invitation({ bot }: { bot: BotResource }): ReactNode {
  const words = useAddBotWords();
  const { isReal } = useInstallation();
  return (
    <>
      <p className="muted">{words.waitingHint(bot.username)}</p>
      {isReal && (
        <a className="button plain" href={`https://t.me/${bot.username}`} target="_blank" rel="noopener noreferrer">
          {words.write}
        </a>
      )}
    </>
  );
}
