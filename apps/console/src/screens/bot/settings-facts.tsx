import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/facts.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { settingsOf } from './settings-draft.ts';

type Rows = Parameters<typeof Facts>[0]['rows'];

/** The settings, for those who may not change them. */
export function SettingsFacts({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words, fleet } = useWords();
  const { fields } = words;
  const onOff = (on: boolean) => (on ? words.yes : words.no);
  const rows: Rows = [
    [fields.intake, bot.webhook_mode ? fleet.intake.pushed : fleet.intake.polled],
    [fields.proxy, onOff(bot.proxy_enabled)],
    [fields.backend, bot.backend_url || words.none],
    [fields.secret, bot.secret_token || words.none],
    [fields.connections, settingsOf(bot).max_connections],
    [fields.longPoll, onOff(bot.long_poll_enabled)],
    [fields.silentAfter, bot.silent_after_s],
    [fields.flood, fields.floods[bot.flood]],
    [fields.pace, fields.paces(bot.pace)],
    [fields.manage, onOff(bot.manage_enabled)],
    [fields.kinds, bot.allowed_updates?.join(', ') ?? fields.allKinds],
    ...(bot.description ? ([[fields.description, <bdi key="description">{bot.description}</bdi>]] as const) : []),
  ];
  return <Facts rows={rows} />;
}

/** What nobody can change. */
export function OriginFacts({ bot }: { bot: BotResource }): ReactNode {
  const { fields } = useWords().bot;
  return (
    <Facts
      rows={[
        [fields.id, bot.id],
        [fields.source, fields.sources[bot.source]],
        [fields.created, <Ago key="created" at={bot.created_at} />],
      ]}
    />
  );
}
