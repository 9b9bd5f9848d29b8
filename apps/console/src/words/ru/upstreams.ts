import type { upstreams as en } from '../en/upstreams.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const upstreams: typeof en = {
  title: 'Серверы Bot API',
  hint: 'Боты работают через сервер Telegram, если у них не назван один из этих: локальный, за прокси или тестовый.',
  empty: 'Других серверов нет',
  emptyHint: 'Добавьте локальный сервер Bot API для файлов до 2 ГБ или путь к Telegram там, где он закрыт.',
  add: 'Добавить…',
  edit: 'Изменить…',
  remove: 'Удалить…',
  removeTitle: (name) => `Удалить ${name}?`,
  removeHint: 'Удалить можно только сервер без ботов.',
  removeAct: 'Удалить',
  states: { ok: 'Отвечает', failing: 'Не отвечает', unknown: 'Давно не вызывали' },
  bots: (n) => plural(n, { one: '{n} бот', few: '{n} бота', many: '{n} ботов', other: '{n} бота' }),
  test: 'тестовая среда',
  form: {
    add: 'Новый сервер Bot API',
    edit: 'Сервер Bot API',
    save: 'Сохранить',
    name: 'Имя',
    nameHint: 'Так его называют боты, метрики и сообщения. Изменить его нельзя. a-z, 0-9, _ и -.',
    url: 'URL',
    urlHint: 'Например, http://bot-api:8081. Частные адреса должны быть в UPSTREAM_ALLOWED_CIDRS.',
    environment: 'Среда',
    environments: { production: 'Рабочая', test: 'Тестовая' },
    environmentHints: { production: '', test: 'Боты тестовых серверов Telegram.' },
    proxy: 'Прокси',
    proxyHint: 'http://, https:// или socks5://. Пусто: из TELEGRAM_PROXY. direct: без прокси.',
    webhookUrl: 'Адрес Flotilla для этого сервера',
    webhookUrlHint: 'Куда он шлёт обновления в режиме вебхука, например http://flotilla-api:8080. Пусто: PUBLIC_URL.',
    files: 'Файлы локального сервера',
    filesHint:
      'Его рабочий каталог, как его видит Flotilla, или URL, по которому он доступен. Пусто: сервер отдаёт файлы сам.',
    uploads: 'Каталог для отправки через file:',
    uploadsHint: 'На диске сервера. Программы с правом local_files могут отправлять то, что в нём лежит.',
  },
};
