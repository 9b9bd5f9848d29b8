import type { later as en } from '../en/later.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const later: typeof en = {
  open: 'Отправить позже',
  presets: { hour: 'Через час', evening: 'Сегодня в 20:00', morning: 'Завтра в 9:00', own: 'В другое время…' },
  empty: 'Сначала напишите сообщение.',
  file: 'Файл не может ждать: отправьте его сейчас или уберите.',
  title: 'Отправить позже',
  at: 'Когда',
  past: 'Напишите время, которое ещё не прошло, в пределах года.',
  act: 'Назначить',
  scheduled: (n) =>
    plural(n, {
      one: 'Назначено {n} сообщение',
      few: 'Назначено {n} сообщения',
      many: 'Назначено {n} сообщений',
      other: 'Назначено {n} сообщения',
    }),
  cancel: 'Отменить',
  cancelOf: (text) => `Отменить: ${text}`,
  cancelTitle: 'Отменить это сообщение?',
  cancelAct: 'Отменить сообщение',
  entry: 'Подробнее об этом сообщении',
};
