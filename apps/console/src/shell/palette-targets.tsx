import type { BotResource } from '@flotilla/contract/bots.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { callPage } from '../call.ts';
import { loadLate } from '../load-late.ts';
import { lookOf, markOf, StateMark } from '../parts/state-badge.tsx';
import { usePreferences } from '../preferences.tsx';
import { seesWholeFleet, useSession } from '../session.tsx';
import { THEMES } from '../stored-preferences.ts';
import type { Language } from '../words/catalogs.ts';
import { useWords } from '../words/words.tsx';
import { type Found, useFound } from './palette-found.tsx';
import type { Target, TargetGroup } from './palette-target.ts';
import { screensOf } from './screens.ts';

const BOTS_SHOWN = 8;
/** Words are searched for once the typing pauses. */
const TYPING_MS = 200;

/** A setting whose bot is still to be chosen. */
export type Chosen = { setting: string; name: string };

type Ends = { close: () => void; choose: (setting: Chosen) => void };

/** The targets with the text in their name or their words, in groups. Later ones come below those that are there. */
export function useTargets(text: string, chosen: Chosen | null, { close, choose }: Ends) {
  const asked = usePaused(text);
  const closing = (go: () => void) => () => {
    close();
    go();
  };
  const bots = useBots(text, chosen);
  const actions = useActions(text);
  const settings = useSettings(text, choose);
  const found: Found = useFound(chosen === null && text !== '' ? asked : '');
  const ending = ({ key, face, go }: Target) => ({ key, face, go: closing(go) });
  if (chosen !== null) {
    return { groups: [{ name: 'bots' as const, targets: bots.map(ending) }], isLooking: false, error: null };
  }
  const groups: TargetGroup[] = [
    { name: 'bots', targets: bots.map(ending) },
    { name: 'actions', targets: actions.map(ending) },
    { name: 'settings', targets: settings.map((one) => (one.staysOpen ? one : ending(one))) },
    ...(text === '' ? [] : found.groups.map((group) => ({ ...group, targets: group.targets.map(ending) }))),
  ];
  return { groups, isLooking: text !== '' && (asked !== text || found.isLooking), error: found.error };
}

function useBots(text: string, chosen: Chosen | null): Target[] {
  const navigate = useNavigate();
  const bots = useQuery({
    queryKey: ['bots', 'named', text],
    queryFn: ({ signal }) => callPage('listBots', { ...(text === '' ? {} : { q: text }), limit: BOTS_SHOWN }, signal),
    placeholderData: keepPreviousData,
    enabled: text !== '' || chosen !== null,
  });
  if (text === '' && chosen === null) return [];
  const rows = bots.data?.rows ?? [];
  // Rows of the text before stay only if they have this one too: Enter must not open another bot.
  const hasText = ({ name, username }: BotResource) =>
    `${name} @${username}`.toLowerCase().includes(text.toLowerCase());
  const named = bots.isPlaceholderData ? rows.filter(hasText) : rows;
  return named.map((bot) => ({
    key: `bot-${bot.id}`,
    face: (
      <>
        <StateMark state={lookOf(markOf(bot))} />
        <span className="cut">{bot.name}</span>
        <bdi className="muted cut">@{bot.username}</bdi>
      </>
    ),
    go: () =>
      chosen === null
        ? void navigate({ to: '/bots/$id', params: { id: String(bot.id) } })
        : void navigate({ to: '/bots/$id/settings', params: { id: String(bot.id) }, hash: chosen.setting }),
  }));
}

function useActions(text: string): Target[] {
  const words = useWords();
  const navigate = useNavigate();
  const { choose } = usePreferences();
  const { account, leave } = useSession();
  const actions: [string, () => void][] = [
    ...screensOf(account).map(({ name, to }): [string, () => void] => [words.nav[name], () => void navigate({ to })]),
    ...(seesWholeFleet(account)
      ? ([[words.fleet.add, () => void navigate({ to: '/bots/add' })]] as [string, () => void][])
      : []),
    ...THEMES.map((theme): [string, () => void] => [
      words.palette.theme(words.preferences.themes[theme]),
      () => choose({ theme }),
    ]),
    [words.account.signOut, leave],
  ];
  const found = actions.filter(([name]) => name.toLowerCase().includes(text.toLowerCase()));
  return found.map(([name, go]) => ({ key: name, face: name, go }));
}

/** Settings of bots, by their names in every language: of the bot on the screen, else of one that is chosen next. */
function useSettings(text: string, choose: Ends['choose']): (Target & { staysOpen: boolean })[] {
  const { language } = useWords();
  const navigate = useNavigate();
  const { id, botId = id } = useParams({ strict: false });
  const isAdmin = useSession().account.role === 'admin';
  const known = useQuery({
    queryKey: ['setting-names'],
    queryFn: async () => (await loadLate(() => import('./setting-names.ts'))).settingNames,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isAdmin && text !== '',
  });
  if (text === '') return [];
  const part = text.toLowerCase();
  const found = (known.data ?? []).filter(({ names }) =>
    Object.values(names).some((name) => name.toLowerCase().includes(part)),
  );
  return found.map(({ setting, names }) => {
    const name = names[language as Language];
    const open = (id: string) => void navigate({ to: '/bots/$id/settings', params: { id }, hash: setting });
    return {
      key: `setting-${setting}`,
      face: name,
      staysOpen: botId === undefined,
      go: () => (botId === undefined ? choose({ setting, name }) : open(botId)),
    };
  });
}

/** The text once it has not changed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
