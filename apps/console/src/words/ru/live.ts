import type { Words } from '../en.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const live: Words['live'] = {
  states: { live: 'Онлайн', connecting: 'Подключение', polling: 'Раз в 10 с' },
  stateHints: {
    live: 'Всё новое видно сразу.',
    connecting: 'Поток событий подключается. Пока страница обновляется раз в 10 секунд.',
    polling: 'Потока событий сейчас нет. Страница обновляется раз в 10 секунд.',
  },
  list: 'События',
  pause: 'Пауза',
  goOn: 'Продолжить',
  pauseKey: 'Пауза в потоке событий',
  paused: 'На паузе. Новые события ждут.',
  more: (n) => plural(n, { one: '{n} новое', few: '{n} новых', many: '{n} новых', other: '{n} нового' }),
  quiet: 'Пока ничего нет',
  quietHint: 'Обновления, вызовы и доставки появляются здесь сразу.',
  noMatch: 'Под фильтр не подходит ни одно событие.',
  noBots: 'Нет ботов для наблюдения',
  noBotsHint: 'Добавьте бота по названию.',
  chosenBots: 'Наблюдаемые боты',
  addBot: 'Добавить бота…',
  leaveOut: (name) => `Убрать ${name}`,
  most: (n) =>
    plural(n, {
      one: 'Не больше {n} бота.',
      few: 'Не больше {n} ботов.',
      many: 'Не больше {n} ботов.',
      other: 'Не больше {n} бота.',
    }),
  kind: 'Вид',
  allKinds: 'Все',
  kinds: { update: 'обновление', call: 'вызов', attempt: 'доставка', gap: 'разрыв' },
  manyKinds: { update: 'Обновления', call: 'Вызовы', attempt: 'Доставки' },
  filter: 'Фильтр событий',
  filterHint: 'Текст, название или номер',
  chat: 'Номер чата',
  columns: { at: 'Время', what: 'Событие', bot: 'Бот', chat: 'Чат', text: 'Содержание' },
  skipped: (n) =>
    plural(n, {
      one: '{n} событие не поместилось в поток',
      few: '{n} события не поместились в поток',
      many: '{n} событий не поместилось в поток',
      other: '{n} события не поместились в поток',
    }),
  rate: (n) =>
    plural(n, {
      one: '{n} событие в секунду',
      few: '{n} события в секунду',
      many: '{n} событий в секунду',
      other: '{n} события в секунду',
    }),
  gap: 'Здесь могли потеряться события',
  copyJson: 'Скопировать JSON',
  whatBecame: 'Что с ним стало',
  copyCurl: 'Скопировать как curl',
};
