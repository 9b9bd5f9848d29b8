import type { BotResource } from '@flotilla/contract/bots.ts';
import type { PastUpdateResource } from '@flotilla/contract/updates.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useSandboxPage } from '../../parts/use-sandbox-page.ts';
import { REFRESH_MS } from '../../queries.ts';
import { BackendRefusal, BackendTrial } from '../bot/backend-trial.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import { type SeenUpdate, type Took, useNewestUpdate } from './newest-update.ts';

/** Says that updates of the bot come, what was written last, and whether a program has taken it. */
export function FirstUpdate({ bot, seen }: { bot: BotResource; seen: SeenUpdate | undefined }): ReactNode {
  const words = useAddBotWords();
  const newest = useNewestUpdate(bot, seen);
  const { last_update_at: at, pending_update_count: waiting } = bot;
  return (
    <section className="panel first-update" aria-labelledby="first-update">
      <h2 id="first-update">{words.first}</h2>
      <p role="status" className="state">
        <StateMark state={at ? 'ok' : 'not_polled'} />
        {at ? words.arrived : words.waiting}
      </p>
      {at !== undefined && <Said at={at} message={newest.data?.update.message} />}
      {newest.data?.took && (
        <Taken
          took={newest.data.took}
          answeredMs={seen?.id === newest.data.update.update_id ? seen.answeredMs : null}
        />
      )}
      {at !== undefined && waiting > 0 && <p className="muted">{words.inLine(waiting)}</p>}
      {bot.proxy_enabled && at === undefined && <BackendTrial botId={bot.id} url={bot.backend_url} />}
      {at !== undefined && bot.backend_state !== 'ok' && <Refused bot={bot} />}
      <Invitation bot={bot} isWaiting={at === undefined} />
    </section>
  );
}

/** The last answer of a backend that takes no updates. */
function Refused({ bot }: { bot: BotResource }): ReactNode {
  const last = useQuery({
    queryKey: ['attempts', bot.id, 'refused'],
    queryFn: ({ signal }) =>
      call('listDeliveryAttempts', { bot_id: bot.id, reader: 'push', ok: false, limit: 1 }, signal),
    refetchInterval: REFRESH_MS,
  });
  const [attempt] = last.data ?? [];
  return attempt && <BackendRefusal status={attempt.status} error={attempt.error ?? ''} />;
}

function Said({ at, message }: { at: string; message: PastUpdateResource['message'] }): ReactNode {
  const words = useAddBotWords();
  return (
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
  );
}

type TakenProps = { took: Took; answeredMs: number | null | undefined };

/** How long after it came the program had it, or answered it, where that is known. */
function Taken({ took: { afterMs }, answeredMs }: TakenProps): ReactNode {
  const words = useAddBotWords();
  const number = useNumber();
  const byPoll = typeof answeredMs === 'number' ? words.takenAnswered(number(answeredMs)) : words.taken;
  return (
    <p role="status" className="state">
      <StateMark state="ok" />
      {afterMs === undefined ? byPoll : words.takenAfter(number(afterMs))}
    </p>
  );
}

function Invitation({ bot, isWaiting }: { bot: BotResource; isWaiting: boolean }): ReactNode {
  const words = useAddBotWords();
  const { isReal } = useInstallation();
  const sandbox = useSandboxPage(bot.username);
  const page = sandbox ?? (isReal ? `https://t.me/${bot.username}` : undefined);
  return (
    <>
      {isWaiting && <p className="muted">{words.waitingHint(bot.username)}</p>}
      {page && (
        <a
          className={`button ${isWaiting ? 'primary' : 'plain'}`}
          href={page}
          target="_blank"
          rel={sandbox ? 'noopener' : 'noopener noreferrer'}
        >
          {sandbox ? words.writeAs : words.write}
        </a>
      )}
    </>
  );
}
