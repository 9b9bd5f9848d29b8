import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { BotLink } from '../../parts/bot-name.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ago } from '../../parts/time.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useWords } from '../../words/words.tsx';
import type { SettingTexts } from './setting-field.tsx';
import { PLAIN_SETTINGS, type PlainSetting, settingsOf } from './settings-draft.ts';
import { useSettingsWords } from './settings-words.ts';

type Rows = Parameters<typeof Facts>[0]['rows'];

/** The settings, for those who may not change them. */
export function SettingsFacts({ bot }: { bot: BotResource }): ReactNode {
  const { bot: words } = useWords();
  const { settings, labels } = useSettingsWords();
  const { fields } = words;
  const known = settingsOf(bot);
  const shown = (name: PlainSetting) => {
    const value = known[name];
    const { options }: SettingTexts = settings[name];
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    return <bdi>{(options?.[value] ?? value) || words.none}</bdi>;
  };
  const rows: Rows = [
    ...PLAIN_SETTINGS.map((name) => [settings[name].label, shown(name)] as const),
    [labels, bot.labels.join(', ') || words.none],
    [fields.backend, bot.backend_url || words.none],
    [fields.secret, bot.secret_token || words.none],
    [fields.pace, fields.paces(bot.pace)],
    [fields.kinds, bot.allowed_updates?.join(', ') ?? fields.allKinds],
  ];
  return <Facts rows={rows} />;
}

/** Facts that nobody can change. */
export function OriginFacts({ bot }: { bot: BotResource }): ReactNode {
  const { fields } = useWords().bot;
  const words = useSettingsWords();
  const { upstreams } = useInstallation();
  const { upstream, environment } = bot;
  const isPlain = upstream === 'default' && environment === 'production';
  const server = environment === 'test' ? words.inTest(upstream) : upstream;
  return (
    <Facts
      rows={[
        [fields.id, bot.id],
        ...(isPlain && upstreams.length < 2 ? [] : [[words.server, <bdi key="server">{server}</bdi>] as const]),
        [fields.source, fields.sources[bot.source]],
        ...(bot.parent_bot_id === undefined
          ? []
          : [[fields.parent, <BotLink key="parent" id={bot.parent_bot_id} />] as const]),
        [fields.created, <Ago key="created" at={bot.created_at} />],
      ]}
    />
  );
}
