import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuChoice, MenuLine, MenuSwitch } from '../parts/menu.tsx';
import { usePreferences } from '../preferences.tsx';
import { THEMES } from '../stored-preferences.ts';
import { LANGUAGES } from '../words/catalogs.ts';
import { useWords } from '../words/words.tsx';

export function PreferencesMenu(): ReactNode {
  const { preferences: words } = useWords();
  const { theme, language, singleKeys, compact, choose } = usePreferences();
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
      <MenuSwitch label={words.compact} on={compact} toggle={(on) => choose({ compact: on })} />
      <MenuSwitch label={words.keys} on={singleKeys} toggle={(on) => choose({ singleKeys: on })} />
    </Menu>
  );
}
