import { type ReactNode, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuChoice, MenuLine, MenuSwitch } from '../parts/menu.tsx';
import { usePreferences } from '../preferences.tsx';
import { NOTICES, type Notices, THEMES } from '../stored-preferences.ts';
import { LANGUAGES } from '../words/catalogs.ts';
import { useWords } from '../words/words.tsx';

export function PreferencesMenu(): ReactNode {
  const { preferences: words } = useWords();
  const { theme, language, singleKeys, compact, enterSends, notices, choose } = usePreferences();
  const [refused, setRefused] = useState(false);
  const chooseNotices = async (chosen: Notices) => {
    const may = chosen === 'off' || (await mayNotify());
    setRefused(!may);
    choose({ notices: may ? chosen : 'off' });
  };
  return (
    <Menu label={words.open} face={<Icon name="theme" />}>
      <MenuChoice
        label={words.theme}
        options={THEMES.map((option) => [option, words.themes[option]] as const)}
        value={theme}
        choose={(chosen) => choose({ theme: chosen })}
      />
      <MenuLine />
      <MenuChoice
        label={words.language}
        options={LANGUAGES}
        value={language}
        choose={(chosen) => choose({ language: chosen })}
      />
      <MenuLine />
      <MenuChoice
        label={words.notices}
        options={NOTICES.map((option) => [option, words.noticesOf[option]] as const)}
        value={notices}
        choose={(chosen) => void chooseNotices(chosen)}
        staysOpen
      />
      {refused && <p className="menu-note">{words.noticesRefused}</p>}
      <MenuLine />
      <MenuSwitch label={words.enterSends} on={enterSends} toggle={(on) => choose({ enterSends: on })} />
      <MenuSwitch label={words.compact} on={compact} toggle={(on) => choose({ compact: on })} />
      <MenuSwitch label={words.keys} on={singleKeys} toggle={(on) => choose({ singleKeys: on })} />
    </Menu>
  );
}

/** Asks the person, whom a browser asks after a press only. Where it knows no notifications, nobody may. */
async function mayNotify(): Promise<boolean> {
  if (!('Notification' in window)) return false;
  return (await Notification.requestPermission()) === 'granted';
}
