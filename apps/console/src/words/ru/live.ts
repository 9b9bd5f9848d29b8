import type { Words } from '../en.ts';

export const live: Words['live'] = {
  states: { live: 'Онлайн', connecting: 'Подключение', polling: 'Раз в 10 с' },
  stateHints: {
    live: 'Всё новое видно сразу.',
    connecting: 'Поток событий подключается. Пока страница обновляется раз в 10 секунд.',
    polling: 'Потока событий сейчас нет. Страница обновляется раз в 10 секунд.',
  },
};
