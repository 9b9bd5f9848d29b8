import type { ErrorCode } from '@flotilla/contract/errors.ts';

/** The sentence of each code of the api; that of the api stands behind it. */
export const codes: Record<ErrorCode, string> = {
  bad_request: 'Запрос не принят.',
  unauthorized: 'Нужно войти снова.',
  second_factor_needed: 'Нужен код из приложения или ключ доступа.',
  forbidden: 'Вашей учётной записи это не разрешено.',
  not_found: 'Этого больше нет, или оно вам недоступно.',
  method_not_allowed: 'Так обратиться сюда нельзя.',
  conflict: 'Это противоречит тому, что уже есть.',
  ambiguous_conversation: 'В этом чате несколько переписок: откройте нужную.',
  precondition_failed: 'Тем временем это изменил кто-то другой.',
  idempotency_mismatch: 'Этот ключ уже использован для другого вызова.',
  payload_too_large: 'Слишком большой объём данных.',
  unsupported_media_type: 'Такой формат данных не принимается.',
  too_many_requests: 'Слишком много запросов. Попробуйте чуть позже.',
  token_refused: 'Платформа не приняла токен бота.',
  platform_refused: 'Платформа отказала.',
  platform_failed: 'Платформа не смогла ответить.',
  platform_timeout: 'Платформа не ответила вовремя.',
  unavailable: 'Хранилище Flotilla недоступно. Доставка продолжается; данные на экране могут устареть.',
  quarantined: 'Это копия в карантине: она ничего не отправляет, пока её не примут.',
  internal: 'Flotilla не смогла ответить.',
};

/** Frequent texts of the api about a call or a field; `$1` is what the pattern found. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^Bot not found$/, 'Такого бота нет, или он вам недоступен.'],
  [
    /^The search took too long/,
    'Поиск занял слишком много времени: ищите в одном боте или чате, за меньший срок или более редкое слово.',
  ],
  [/^This account runs too many searches/, 'Слишком много поисков одновременно. Попробуйте ещё раз.'],
  [/^Account not found$/, 'Такой учётной записи нет.'],
  [/^Message not found$/, 'Такого сообщения нет.'],
  [/^Chat not found$/, 'Такого чата нет.'],
  [/^Tag not found$/, 'Такой метки нет.'],
  [/^Route not found$/, 'Такого правила нет.'],
  [/^Key not found$/, 'Такого ключа нет.'],
  [/^Event sink not found$/, 'Такого получателя событий нет.'],
  [/^There can be (\d+) event sinks$/, 'Получателей событий может быть не больше $1.'],
  [/^Session not found$/, 'Такого сеанса нет.'],
  [/^Consumer not found$/, 'Такого потребителя нет.'],
  [/^The bot is disabled$/, 'Бот выключен.'],
  [/^The bot has no backend (URL|to send to)$/, 'У бота не задан адрес бэкенда.'],
  [/^Long polling is off for this bot$/, 'Long polling у этого бота выключен.'],
  [/^Managing chats is off for this bot/, 'Управление чатами у этого бота выключено.'],
  [/^(?:token )?This is not a bot token$/, 'Это не токен бота.'],
  [/^This token belongs to another bot$/, 'Этот токен принадлежит другому боту.'],
  [/^A bot with this token is registered already$/, 'Бот с этим токеном уже добавлен.'],
  [/^This token is registered already, as bot (\d+)$/, 'Этот токен уже добавлен: бот $1.'],
  [/^An account with this username exists already$/, 'Учётная запись с таким именем уже есть.'],
  [/^This user has this tag in this chat already$/, 'У этого человека в этом чате уже есть такая метка.'],
  [/^This is the last admin/, 'Это последний администратор: его нельзя ни удалить, ни лишить роли.'],
  [/^The platform could not be reached: (.*)$/, 'Платформа недоступна: $1.'],
  [/^is required/, 'Обязательное поле.'],
  [/^must not be (empty|blank)$/, 'Не может быть пустым.'],
  [/^must be true or false$/, 'Нужно «да» или «нет».'],
  [/^must be an integer from (-?\d+) to (-?\d+)$/, 'Нужно целое число от $1 до $2.'],
  [/^must be an id: an integer/, 'Нужен идентификатор: целое число.'],
  [/^must be the id of a chat/, 'Нужен идентификатор чата или его @имя.'],
  [/^must have at least (\d+) characters$/, 'Не менее $1 символов.'],
  [/^must have at most (\d+) characters$/, 'Не более $1 символов.'],
  [/^must have at most (\d+) bytes$/, 'Не более $1 байт.'],
  [/^must have at most (\d+) entries$/, 'Не более $1 элементов.'],
  [/^must be in the future$/, 'Нужен момент в будущем.'],
  [/^must not be later than the end of the key that makes it/, 'Не позже срока ключа, которым он создаётся.'],
  [/^must be one of (.+)$/, 'Допустимые значения: $1.'],
  [/^must have the form 123456:secret$/, 'Токен имеет вид 123456:secret.'],
  [
    /^(must be an address that begins|must begin) with http:\/\/ or https:\/\/$/,
    'Адрес начинается с http:// или https://.',
  ],
  [/^is not an http or https URL$/, 'Это не адрес http или https.'],
  [
    /host (\S+) is a metadata service, which is never allowed$/,
    'Узел $1 — служба метаданных: такие адреса запрещены всегда.',
  ],
  [
    /IP address (\S+) is link-local or a metadata service, which is never allowed$/,
    'Адрес $1 — локальный или служба метаданных: такие адреса запрещены всегда.',
  ],
  [
    /IP address (\S+) leads to a link-local address or a metadata service, which is never allowed$/,
    'Адрес $1 ведёт к локальному адресу или службе метаданных: такие адреса запрещены всегда.',
  ],
  [
    /host (\S+) has an IP address that is reserved; BACKEND_ALLOWED_CIDRS can allow its range$/,
    'Адрес узла $1 зарезервирован; его диапазон можно разрешить настройкой BACKEND_ALLOWED_CIDRS.',
  ],
  [/host (\S+) has an IP address that .*which is never (allowed|a backend)$/, 'Адрес узла $1 запрещён всегда.'],
  [
    /IP address (\S+) is reserved; BACKEND_ALLOWED_CIDRS can allow its range$/,
    'Адрес $1 зарезервирован; его диапазон можно разрешить настройкой BACKEND_ALLOWED_CIDRS.',
  ],
  [/IP address (\S+) .*which is never a backend$/, 'Адрес $1 принадлежит самой Flotilla и не может быть бэкендом.'],
  [/^needs the setting PUBLIC_URL$/, 'Нужна настройка PUBLIC_URL.'],
  [/^is a masked value, not a secret$/, 'Это маска, а не сам секрет.'],
  [/^Telegram refused this bot token$/, 'Telegram не принял этот токен.'],
  [/^is too large a regular expression$/, 'Слишком большое регулярное выражение.'],
  [/^is reserved for the setting of that name$/, 'Это имя занято настройкой.'],
  [/^is one of the most common passwords/, 'Это один из самых частых паролей: выберите другой.'],
  [/^must be a Message or an Update of the Bot API/, 'Нужен объект Message или Update из Bot API.'],
  [/^must be a JSON object, or its text, with an integer update_id/, 'Нужен объект JSON с целым update_id от 0.'],
];

/** In Russian; null for a sentence that is not known. */
export function inWords(sentence: string): string | null {
  for (const [form, text] of SENTENCES) {
    const found = form.exec(sentence);
    if (found !== null) return text.replace(/\$(\d)/g, (_, group) => found[Number(group)] ?? '');
  }
  return null;
}
