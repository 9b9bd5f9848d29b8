import { badRequest } from '../bot-api-error.ts';
import { keepSetting } from '../bots/keep-setting.ts';
import { ALL_RIGHTS, privateKey } from '../chats/chat.ts';
import { readFileReference } from '../files/read-file.ts';
import { showMedia } from '../files/show-media.ts';
import { integer, json, jsonObject, type Params, platformId, text } from '../http/params.ts';
import type { Call, Method } from './call.ts';

/** A set method and its get method: what tells several values apart, and the value that was set. */
type Pair = { set: string; get: string; key(params: Params): string; read(params: Params): unknown; unset: unknown };

const perLanguage = ({ name, field, longest }: { name: string; field: string; longest: number }): Pair => ({
  set: `setMy${name}`,
  get: `getMy${name}`,
  key: (params) => text(params, 'language_code'),
  read: (params) => {
    const value = text(params, field);
    if (value.length > longest) throw badRequest(`${field} is too long`);
    return value === '' ? undefined : { [field]: value };
  },
  unset: { [field]: '' },
});

const PAIRS: Pair[] = [
  perLanguage({ name: 'Name', field: 'name', longest: 64 }),
  perLanguage({ name: 'Description', field: 'description', longest: 512 }),
  perLanguage({ name: 'ShortDescription', field: 'short_description', longest: 120 }),
  {
    set: 'setChatMenuButton',
    get: 'getChatMenuButton',
    key: (params) => text(params, 'chat_id'),
    read: (params) => jsonObject(params, 'menu_button'),
    unset: { type: 'default' },
  },
  {
    set: 'setMyDefaultAdministratorRights',
    get: 'getMyDefaultAdministratorRights',
    key: (params) => text(params, 'for_channels'),
    read: (params) => jsonObject(params, 'rights'),
    unset: Object.fromEntries(['is_anonymous', ...ALL_RIGHTS].map((right) => [right, false])),
  },
];

/** The methods that set something of the bot itself, and those that show it. */
export const SETTINGS_OF_BOT: Record<string, Method> = {
  setMyProfilePhoto,
  removeMyProfilePhoto,
  getUserProfilePhotos,
  ...Object.fromEntries(
    PAIRS.flatMap(({ set, get, key, read, unset }) => [
      [set, ({ sim, bot, params }: Call) => keepSetting(sim, bot, `${set} ${key(params)}`, read(params))],
      [
        get,
        ({ bot, params }: Call) =>
          shown(bot.settings[`${set} ${key(params)}`] ?? bot.settings[`${set} `], unset, bot.user.first_name),
      ],
    ]),
  ),
};

/** A bot without a name of its own for a language has the name that @BotFather knows. */
function shown(value: unknown, unset: unknown, name: string): unknown {
  if (value !== undefined) return typeof unset === 'object' ? { ...unset, ...(value as object) } : value;
  return typeof unset === 'object' && unset !== null && 'name' in unset ? { name } : unset;
}

const PHOTOS = 'profile photos';

async function setMyProfilePhoto(call: Call): Promise<true> {
  const given = json(call.params, 'photo') as { photo?: string; animation?: string } | null;
  const reference = given?.photo ?? given?.animation ?? '';
  if (reference === '') throw badRequest("can't parse input profile photo JSON object");
  const { fileId } = await readFileReference(call, 'photo', reference);
  return keepSetting(call.sim, call.bot, PHOTOS, [fileId, ...photosOf(call.bot.settings)]);
}

function removeMyProfilePhoto({ sim, bot }: Call): true {
  return keepSetting(sim, bot, PHOTOS, photosOf(bot.settings).slice(1));
}

/** Bots have the photos that they set; people have the one that they show to this bot. */
function getUserProfilePhotos({ sim, bot, params }: Call): unknown {
  const id = platformId(params, 'user_id');
  const known = sim.bots.get(id);
  if (known === undefined && !sim.people.has(id)) throw badRequest('user not found');
  const shown = sim.chats.get(privateKey(bot.user.id, id))?.photo ?? '';
  const photos = known === undefined ? [shown].filter(Boolean) : photosOf(known.settings);
  const [offset, limit] = [integer(params, 'offset', 0, 0), integer(params, 'limit', 100, 1, 100)];
  const sizes = photos.slice(offset, offset + limit).map((fileId) => showMedia('photo', sim.files.get(fileId)!).photo);
  return { total_count: photos.length, photos: sizes };
}

function photosOf(settings: Record<string, unknown>): string[] {
  return (settings[PHOTOS] ?? []) as string[];
}
