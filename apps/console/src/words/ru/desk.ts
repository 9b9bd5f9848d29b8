import type { desk as en } from '../en/desk.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const desk: typeof en = {
  title: 'Кто здесь отвечает',
  takeOver: 'Перехватить',
  longer: 'Продлить',
  times: { 30: '30 минут', 60: '1 час', 240: '4 часа', 1440: '24 часа' },
  heldByYou: 'Чат ведёте вы',
  heldBy: (who) => `Чат ведёт \u2068${who}\u2069`,
  botBack: 'бот вернётся',
  byRule: (id) => `правило ${id}`,
  byOwner: 'владелец аккаунта',
  giveBack: 'Вернуть боту',
  missed: (n) =>
    plural(n, {
      one: 'пропущено {n} обновление',
      few: 'пропущено {n} обновления',
      many: 'пропущено {n} обновлений',
      other: 'пропущено {n} обновления',
    }),
  deliver: (n) =>
    plural(n, {
      one: 'С {n} пропущенным обновлением',
      few: 'С {n} пропущенными обновлениями',
      many: 'С {n} пропущенными обновлениями',
      other: 'С {n} пропущенного обновления',
    }),
  withoutMissed: 'Без пропущенного',
  deliverHint: 'Бот получит пропущенное по порядку, раньше всего нового.',
  assigned: (name) => `Назначен: ${name}`,
  assign: 'Назначить',
  nobody: 'Никто',
  done: 'Завершить',
  doneHint: 'Следующее сообщение человека снова откроет чат.',
  reopen: 'Открыть снова',
  isDone: 'Завершён',

  replies: 'Готовые ответы',
  manage: 'Изменить ответы…',
  insert: 'Вставить',
  noReplies: 'Готовых ответов пока нет.',
  noMatch: 'Ничего не найдено.',
  add: 'Добавить ответ',
  edit: 'Изменить ответ',
  change: 'Изменить',
  remove: 'Удалить',
  removeTitle: 'Удалить ответ?',
  name: 'Название',
  nameHint: 'По нему ответ ищут: введите / в пустом сообщении.',
  text: 'Текст',
  textHint: '{first_name} и {username} заменяются на имя и имя пользователя человека.',
  format: 'Разметка',
  bots: 'Для чатов ботов',
  ofBot: 'Для чатов этого бота.',
  save: 'Сохранить',
};
