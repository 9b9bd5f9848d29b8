import type { BotResource } from '@flotilla/contract/bots.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useSandboxPage } from '../../parts/use-sandbox-page.ts';
import { useAddBotWords } from './add-bot-words.ts';
import { type SeenUpdate, Taken } from './taken.tsx';

const REFRESH_MS = 2_000;

/** Says when the first update of the bot has come, and what was written. */
export function FirstUpdate({ bot, seen }: { bot: BotResource; seen: SeenUpdate | undefined }): ReactNode {
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
      {at !== undefined && <Taken botId={bot.id} seen={seen} />}
      {at !== undefined && waiting > 0 && <p className="muted">{words.inLine(waiting)}</p>}
      <Invitation bot={bot} isWaiting={at === undefined} />
    </section>
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
