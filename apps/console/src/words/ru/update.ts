import type { update as en } from '../en/update.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const update: typeof en = {
  title: (id) => `Обновление ${id}`,
  back: 'Доставки',
  gone: 'Об этом обновлении больше ничего не известно',
  goneHint: 'Журнал хранит последние 24 часа. Сообщения чата — во «Входящих».',
  kind: 'Вид',
  via: 'Пришло',
  vias: {
    polling: 'опросом',
    webhook: 'вебхуком',
    redrive: 'повторно, из недоставленных',
    held: 'после возврата чата боту',
  },
  accepted: 'Принято',
  chat: 'Чат',
  message: 'Сообщение',
  readers: 'Читатели',
  reader: { push: 'Бэкенд', pull: 'Опрашивающие', rules: 'Правила' },
  program: (name) => `Программа: ${name}`,
  consumer: (name) => `Потребитель: ${name}`,
  outcomes: {
    delivered: 'Доставлено',
    waiting: 'В очереди',
    filtered: 'Отфильтровано',
    dead: 'Не доставлено',
    dropped: 'Отброшено правилом',
    held: 'Не передано: чат был перехвачен',
    expired: 'Истекло',
  },
  filtered: {
    allowed_updates: 'бот не запрашивает этот вид',
    kinds: 'программа не запрашивает этот вид',
    filter: 'не подходит под фильтр',
    rules: 'ни одно правило не подошло, или одно отбрасывает',
  },
  taken: (program) => `программа ${program} забрала его одна`,
  attempts: (n) => plural(n, { one: '{n} попытка', few: '{n} попытки', many: '{n} попыток', other: '{n} попытки' }),
  attempt: (n) => `Попытка ${n}`,
  noAttempts: 'Попыток не было или они не нужны.',
  calls: 'Вызовы после него',
  noCalls: 'Неизвестно ни одного.',
  hows: {
    answer: 'в ответе бэкенда',
    reply: 'ответ на сообщение',
    after: 'вскоре после него в этом чате: причина могла быть другой',
  },
  call: 'Сообщение бота',
  json: 'Обновление',
  noJson: 'JSON больше не хранится: он никому не нужен.',
  after: (time) => `+${time}`,
  axis: 'Время с момента приёма',
  open: 'Что с ним стало',
};
