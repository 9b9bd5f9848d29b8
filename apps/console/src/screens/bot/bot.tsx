import type { BotResource } from '@flotilla/contract/bots.ts';
import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CallError } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { BotBadge, marksOf } from '../../parts/state-badge.tsx';
import { Ago, Moment, Until } from '../../parts/time.tsx';
import { Told, useTold } from '../../parts/told.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useWords } from '../../words/words.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import { BotTabs } from './bot-tabs.tsx';
import { IntakeRemedy } from './intake-remedy.tsx';
import { TestDelivery } from './test-delivery.tsx';
import { useBot } from './use-bot.ts';
import './bot.css';

/** The frame of every view of a bot: its name, its state, its last error, its tabs. */
export function Bot(): ReactNode {
  const words = useWords();
  const bot = useBot();
  useTitle(bot.data?.name ?? words.nav.fleet);
  if (bot.data === undefined && isMissing(bot.error)) return <NotFound title={words.bot.gone} hint="" />;
  return (
    <div className="bot">
      <Link to="/" className="back">
        <Icon name="back" />
        {words.bot.back}
      </Link>
      {bot.isError && <Failure error={bot.error} retry={() => void bot.refetch()} />}
      {bot.data && (
        <>
          <BotHead bot={bot.data} />
          <BotTabs id={String(bot.data.id)} />
          <Outlet />
        </>
      )}
    </div>
  );
}

/** A foreign bot is answered like one that does not exist; so is an id that is no number. */
function isMissing(error: Error | null): boolean {
  return error instanceof CallError && [400, 403, 404].includes(error.status);
}

function BotHead({ bot }: { bot: BotResource }): ReactNode {
  const words = useWords();
  const deliveriesWords = useDeliveriesWords();
  const told = useTold();
  const [testing, setTesting] = useState(false);
  const { last_error: lastError, last_error_at: lastErrorAt, failing_since: since } = bot;
  const intake = bot.attention.find(({ kind }) => kind === 'foreign_webhook' || kind === 'token_revoked');
  return (
    <>
      <header className="bot-head">
        <h1>
          <bdi>{bot.name}</bdi>
        </h1>
        <bdi className="muted cut">@{bot.username}</bdi>
        {marksOf(bot).map((mark) => (
          <BotBadge key={mark} mark={mark} />
        ))}
        <span className="head-actions">
          {bot.backend_url && <Button onClick={() => setTesting(true)}>{deliveriesWords.test.open}</Button>}
        </span>
      </header>
      {testing && <TestDelivery botId={bot.id} programId={undefined} update="" close={() => setTesting(false)} />}
      {bot.backend_url && !bot.proxy_enabled && (
        <p className="notice warn">
          {words.bot.forwardingOff}{' '}
          <Link to="/bots/$id/settings" params={{ id: String(bot.id) }}>
            {words.bot.forwardingOffLink}
          </Link>
        </p>
      )}
      {bot.flood_until && (
        <p className="notice warn">
          {words.bot.flooded} <Until at={bot.flood_until} />
        </p>
      )}
      {bot.moving && (
        <p className="notice warn">
          <strong>{words.bot.moving}</strong> <bdi>{bot.moving.to}</bdi>: {words.bot.moveSteps[bot.moving.step]}{' '}
          {bot.moving.reason && <bdi>{sentence(told(bot.moving.reason))}</bdi>}{' '}
          {bot.moving.waits_until && <Until at={bot.moving.waits_until} />}
        </p>
      )}
      {intake && (
        <div className="notice bad">
          <p>
            <strong>{words.marks[intake.kind]}.</strong> {words.markHints[intake.kind]}{' '}
            {bot.intake.foreign_webhook_host && <bdi>{bot.intake.foreign_webhook_host}</bdi>}{' '}
            {intake.since && (
              <small className="muted">
                <Ago at={intake.since} />
              </small>
            )}
          </p>
          <IntakeRemedy bot={bot} kind={intake.kind} />
        </div>
      )}
      {lastError && !intake && (
        <p className={`notice ${marksOf(bot).includes('backend_open') ? 'bad' : 'warn'}`}>
          <strong>{words.bot.lastError}:</strong> <Told text={lastError} />{' '}
          {lastErrorAt && (
            <small className="muted">
              <Ago at={lastErrorAt} />
            </small>
          )}
          {since && (
            <small className="failing-since muted">
              {words.bot.readers.failingSince} <Moment at={since} />
            </small>
          )}
        </p>
      )}
    </>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
