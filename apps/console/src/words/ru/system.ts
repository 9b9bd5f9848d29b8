import type { system as en } from '../en/system.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const system: typeof en = {
  title: 'Система',
  taken: 'снято',
  replicas: 'Процессы',
  botApi: (version) => `знает Bot API ${version}`,
  replicaCount: (n) =>
    plural(n, { one: '{n} процесс', few: '{n} процесса', many: '{n} процессов', other: '{n} процесса' }),
  kinds: { api: 'api', worker: 'worker' },
  columns: { process: 'Процесс', roles: 'Роли', version: 'Версия', host: 'Машина', started: 'Запущен' },
  versions: (list) => `Работают разные версии: ${list}. Во время обновления это нормально.`,
  noReplicas: 'Ни один процесс не сообщил, что работает. Возможно, недоступен Redis.',
  postgres: 'Postgres',
  redis: 'Redis',
  away: 'Не отвечает.',
  facts: {
    version: 'Версия',
    size: 'Размер',
    connections: 'Соединений',
    newest: 'Последняя миграция',
    migrations: 'Миграции',
    used: 'Занято памяти',
    full: 'Самый полный мастер',
    pressure: 'Ступень памяти',
    durable: 'Сначала пишет на диск',
    evicts: 'Вытесняет обновления',
    memory: 'Память',
    node: 'Node',
  },
  of: (used, all) => `${used} из ${all}`,
  migrated: 'все применены',
  pendingMigrations: (n) =>
    plural(n, {
      one: '{n} не применена',
      few: '{n} не применены',
      many: '{n} не применены',
      other: '{n} не применены',
    }),
  unknownMigrations: (n) =>
    plural(n, {
      one: '{n} из более новой версии',
      few: '{n} из более новой версии',
      many: '{n} из более новой версии',
      other: '{n} из более новой версии',
    }),
  pressures: {
    relaxed: 'свободно: место есть',
    tight: 'тесно: боты с длинной очередью не принимают обновления',
    short: 'мало: ни один бот не принимает обновления',
    scarce: 'на исходе: ждут и записанные вызовы',
  },
  yes: 'да',
  no: 'нет',
  provider: 'за это отвечает провайдер',
  turns: 'Работа обработчиков',
  turnKinds: { polling: 'Опрос', push: 'Отправка', programs: 'Программы', rules: 'Правила', history: 'История' },
  turnColumns: { kind: 'Вид', running: 'Идут', waiting: 'Ждут', sleeping: 'Позже', oldest: 'Ждёт не дольше' },
  seconds: (n) => `${n} с`,
  stored: 'В Redis',
  storedFacts: {
    log_entries: 'Обновлений в памяти',
    waiting_for_push: 'Ждут бэкендов',
    waiting_for_pull: 'Ждут клиентов опроса',
    waiting_for_rules: 'Ждут правил',
    history: 'Ещё не в Postgres',
  },
  largest: (n) => `больше всего ${n}`,
  noFigures: 'Ни один обработчик ещё не считал.',
  limits: 'Ограничения',
  limitNames: {
    waiting_updates: 'Обновлений, которые ждут самого быстрого читателя бота; остальные хранит платформа',
    waiting_updates_while_tight: 'То же для самого медленного читателя, пока память тесна',
    connections: 'Соединений с одним api',
    connections_per_address: 'Соединений с одного адреса с одним api; 0 — без ограничения',
  },
  settings: 'Настройки ответившего процесса',
  notSet: 'не задано',
  links: 'Другие страницы',
};
