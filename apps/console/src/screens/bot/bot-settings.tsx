import type { ReactNode } from 'react';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { AdoptedBots } from './adopted-bots.tsx';
import { BotActs } from './bot-acts.tsx';
import { OriginFacts, SettingsFacts } from './settings-facts.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettingsWords } from './settings-words.ts';
import { useBot } from './use-bot.ts';
import { useSettingFocus } from './use-setting-focus.ts';
import './bot-settings.css';

/** The settings of a bot: a form for admins, a list for all others. */
export function BotSettings(): ReactNode {
  const words = useWords();
  const settingsWords = useSettingsWords();
  const { account } = useSession();
  const { data: bot } = useBot();
  useSettingFocus(bot !== undefined);
  if (bot === undefined) return null;
  const isAdmin = account.role === 'admin';
  return (
    <div className="settings">
      <h2 className="unseen">{words.bot.settings}</h2>
      {isAdmin && <SettingsForm key={bot.id} bot={bot} />}
      {!isAdmin && (
        <div className="panel">
          <SettingsFacts bot={bot} />
        </div>
      )}
      <section className="panel" aria-labelledby="origin">
        <h2 id="origin">{settingsWords.more}</h2>
        <OriginFacts bot={bot} />
      </section>
      <AdoptedBots key={`adopted ${bot.id}`} parent={bot} />
      {isAdmin && <BotActs bot={bot} />}
    </div>
  );
}
