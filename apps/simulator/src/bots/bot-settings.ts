import { badRequest } from '../bot-api-error.ts';
import { allowPrivateTopics, hasPrivateTopics } from '../chats/topic.ts';
import { boolean, integer, type Params, text } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';
import { keepSetting } from './keep-setting.ts';
import { hasPrivacyMode, setPrivacyMode } from './privacy-mode.ts';
import type { SimBot } from './sim-bot.ts';

const SETTINGS = 'settings';
const MODE = 'callback_query_mode';
const MODES = ['default', 'auto', 'inline'];
const SHARE = 'inline_feedback_share_denominator';

/** The settings that are only kept and shown, as they are at first. */
const AT_FIRST: Record<string, boolean | string> = {
  can_join_groups: true,
  supports_inline_queries: true,
  inline_query_placeholder: '',
  needs_inline_query_location: false,
  supports_guest_queries: false,
  supports_join_request_queries: false,
  can_connect_to_business: true,
  can_manage_bots: false,
  can_communicate_with_bots: false,
  has_topic_sidebar: false,
};
/** `setMySettings` takes them, and getMe does not show them. */
const UNSEEN = ['can_communicate_with_bots'];

/** A BotFullInfo: the bot with what only getMe shows. */
export function fullInfo(bot: SimBot): Record<string, unknown> {
  const kept = { ...AT_FIRST, ...settingsOf(bot) };
  const topics = hasPrivateTopics(bot);
  const { [MODE]: _, [SHARE]: __, inline_query_placeholder: placeholder, has_topic_sidebar: sidebar, ...shown } = kept;
  for (const name of UNSEEN) delete shown[name];
  return {
    ...bot.user,
    active_usernames: [bot.user.username],
    ...shown,
    can_read_all_group_messages: !hasPrivacyMode(bot),
    ...(placeholder !== '' && { inline_query_placeholder: placeholder }),
    has_main_web_app: false,
    has_topics_enabled: topics,
    allows_users_to_create_topics: topics,
    has_topic_sidebar: topics && sidebar === true,
  };
}

/** Changes what is given, and leaves the rest. */
export function changeSettings(sim: Simulator, bot: SimBot, params: Params): true {
  const mode = text(params, MODE);
  if (mode !== '' && !MODES.includes(mode)) throw badRequest('invalid callback query mode specified');
  const given = (name: string) => params.values.has(name);
  if (given('can_read_all_group_messages')) setPrivacyMode(sim, bot, !boolean(params, 'can_read_all_group_messages'));
  if (given('has_topics_enabled')) allowPrivateTopics(bot, boolean(params, 'has_topics_enabled'));
  const changes = Object.entries(AT_FIRST).flatMap(([name, atFirst]) =>
    given(name) ? [[name, typeof atFirst === 'string' ? text(params, name) : boolean(params, name)]] : [],
  );
  const others = { ...(mode !== '' && { [MODE]: mode }), ...(given(SHARE) && { [SHARE]: integer(params, SHARE, 0) }) };
  return keepSetting(sim, bot, SETTINGS, { ...settingsOf(bot), ...Object.fromEntries(changes), ...others });
}

export function letManageBots(sim: Simulator, bot: SimBot): void {
  keepSetting(sim, bot, SETTINGS, { ...settingsOf(bot), can_manage_bots: true });
}

export function mayManageBots(bot: SimBot): boolean {
  return settingsOf(bot).can_manage_bots === true;
}

/** True if presses on the bot's own messages name an inline message instead of the message. `auto` does so for messages it cannot see. */
export function hasInlinePresses(bot: SimBot): boolean {
  return settingsOf(bot)[MODE] === 'inline';
}

function settingsOf(bot: SimBot): Record<string, boolean | string | number> {
  return (bot.settings[SETTINGS] ?? {}) as Record<string, boolean | string | number>;
}
