import type { later as en } from '../en/later.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const later: typeof en = {
  open: 'Отправить позже',
  presets: { hour: 'Через час', evening: 'Сегодня в 20:00', morning: 'Завтра в 9:00', own: 'В другое время…' },
  empty: 'Сначала напишите сообщение.',
  file: 'Файл нельзя запланировать: отправьте его сейчас или уберите.',
  title: 'Отправить позже',
  at: 'Когда',
  past: 'Укажите время в будущем, в пределах года.',
  act: 'Запланировать',
  scheduled: (n) =>
    plural(n, {
      one: 'Запланировано {n} сообщение',
      few: 'Запланировано {n} сообщения',
      many: 'Запланировано {n} сообщений',
      other: 'Запланировано {n} сообщения',
    }),
  cancel: 'Отменить',
  cancelOf: (text) => `Отменить: ${text}`,
  cancelTitle: 'Отменить это сообщение?',
  cancelAct: 'Отменить сообщение',
  entry: 'Подробнее об этом сообщении',
};
