import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/facts.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { useBot } from './use-bot.ts';

const DEFAULT_CONNECTIONS = 40;

export function BotSettings(): ReactNode {
  const words = useWords();
  const { data: bot } = useBot();
  return (
    <section className="panel" aria-labelledby="settings">
      <h2 id="settings">{words.bot.settings}</h2>
      {bot && <Settings bot={bot} />}
    </section>
  );
}

function Settings({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words, fleet } = useWords();
  const { fields } = words;
  const onOff = (on: boolean) => (on ? words.yes : words.no);
  const rows: [string, ReactNode][] = [
    [fields.intake, bot.webhook_mode ? fleet.intake.pushed : fleet.intake.polled],
    [fields.proxy, onOff(bot.proxy_enabled)],
    [fields.backend, bot.backend_url || words.none],
    [fields.secret, bot.secret_token || words.none],
    [fields.connections, bot.max_connections || DEFAULT_CONNECTIONS],
    [fields.longPoll, onOff(bot.long_poll_enabled)],
    [fields.manage, onOff(bot.manage_enabled)],
    [fields.kinds, bot.allowed_updates?.join(', ') ?? fields.allKinds],
    ...(bot.description ? [[fields.description, bot.description] as [string, string]] : []),
    [fields.source, fields.sources[bot.source]],
    [fields.created, <Ago key="created" at={bot.created_at} />],
    [fields.id, bot.id],
  ];
  return <Facts rows={rows} />;
}
