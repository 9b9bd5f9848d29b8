import type { Words } from './en.ts';
import { plurals } from './plural.ts';
import { access } from './ru/access.ts';
import { addBot } from './ru/add-bot.ts';
import { audit } from './ru/audit.ts';
import { botSettings } from './ru/bot-settings.ts';
import { chart } from './ru/chart.ts';
import { deliveries } from './ru/deliveries.ts';
import { inbox } from './ru/inbox.ts';
import { live } from './ru/live.ts';
import { outages } from './ru/outages.ts';
import { chat, person, search, statistics } from './ru/people.ts';
import { rules } from './ru/rules.ts';
import { system } from './ru/system.ts';

const plural = plurals('ru');

export const words: Words = {
  language: 'ru',
  product: 'Flotilla',
  skipToContent: 'К содержимому',
  close: 'Закрыть',
  cancel: 'Отмена',
  tryAgain: 'Повторить',
  done: 'Готово',
  copy: 'Скопировать',
  copied: 'Скопировано',
  clearField: (name) => `Очистить: ${name}`,

  access,
  audit,
  chat,
  person,
  search,
  statistics,

  nav: {
    label: 'Разделы',
    fleet: 'Флот',
    inbox: 'Входящие',
    deliveries: 'Доставка',
    live: 'Поток',
    search: 'Поиск',
    audit: 'Журнал',
    access: 'Доступ',
    system: 'Система',
    queues: 'Очереди',
    document: 'Описание API',
    sandbox: 'Написать боту',
  },

  preferences: {
    open: 'Оформление и язык',
    theme: 'Тема',
    themes: { system: 'Как в системе', light: 'Светлая', dark: 'Тёмная' },
    language: 'Язык',
    keys: 'Однобуквенные сочетания',
    compact: 'Плотные строки',
  },

  account: {
    open: (name) => `Учётная запись ${name}`,
    roles: { admin: 'Администратор', user: 'Пользователь' },
    changePassword: 'Сменить пароль…',
    signOut: 'Выйти',
  },

  shortcuts: {
    title: 'Сочетания клавиш',
    open: 'Сочетания клавиш…',
    palette: 'Перейти куда угодно',
    goTo: (screen) => `Перейти: ${screen}`,
    tabs: 'Предыдущая и следующая вкладка',
    filter: 'Фильтр списка',
    rows: 'Следующая и предыдущая строка',
    enter: 'Открыть строку',
    select: 'Выбрать строку',
    back: 'Назад или закрыть',
    list: 'Этот список',
  },

  palette: {
    open: 'Найти или перейти…',
    label: 'Перейти к разделу, боту или действию',
    nothing: 'Ничего с таким названием',
    results: (n) =>
      plural(n, { one: '{n} результат', few: '{n} результата', many: '{n} результатов', other: '{n} результата' }),
    theme: (name) => `Тема: ${name}`,
  },

  signIn: {
    title: 'Вход',
    again: 'Войдите снова',
    ended: 'Сеанс завершён. Войдите, чтобы продолжить: страница останется как есть.',
    username: 'Имя пользователя',
    password: 'Пароль',
    show: 'Показать пароль',
    submit: 'Войти',
    wrong: 'Неверное имя пользователя или пароль.',
    help: 'Где взять пароль?',
    helpText:
      'В песочнице его печатает npm start в своём терминале. Иначе пароль первого администратора — ADMIN_PASSWORD; без этой настройки api печатает его при первом запуске. Остальные учётные записи создают администраторы.',
    limited: (minutes) =>
      plural(minutes, {
        one: 'Слишком много неудачных попыток. Повторите через {n} минуту.',
        few: 'Слишком много неудачных попыток. Повторите через {n} минуты.',
        many: 'Слишком много неудачных попыток. Повторите через {n} минут.',
        other: 'Слишком много неудачных попыток. Повторите через {n} минуты.',
      }),
  },

  password: {
    title: 'Смена пароля',
    forced: 'Ваш пароль задал администратор. Чтобы продолжить, задайте свой.',
    old: 'Текущий пароль',
    new: 'Новый пароль',
    hint: 'Не меньше 10 символов. Распространённые пароли не принимаются.',
    submit: 'Сменить пароль',
    wrongOld: 'Это не ваш текущий пароль.',
    short: 'В пароле должно быть не меньше 10 символов.',
    refused: 'Этот пароль слишком распространён или совпадает с текущим. Выберите другой.',
    changed: 'Пароль изменён. Остальные ваши сеансы завершены.',
  },

  errors: {
    title: 'Не получилось',
    network: 'Flotilla недоступна. Есть ли сеть?',
    unavailable: 'Хранилище Flotilla недоступно. Доставка продолжается; данные на экране могут устареть.',
    forbidden: 'Вашей учётной записи это не разрешено.',
    internal: 'Flotilla не смогла ответить.',
    request: (id) => `Запрос ${id}`,
    notFound: 'Такой страницы нет',
    notFoundHint: 'Возможно, адрес неверен или показанного больше нет.',
    toFleet: 'К флоту',
    platform: {
      blocked: 'Этот человек заблокировал бота.',
      deactivated: 'Учётная запись этого человека удалена.',
      kicked: 'Бота больше нет в этом чате.',
      owner: 'С владельцем чата этого сделать нельзя.',
      administrator: 'Это администратор: сначала снимите его с этой роли.',
      rights: 'У бота здесь нет такого права. Сделайте его администратором чата с этим правом.',
      absent: 'Этого человека нет в чате.',
      self: 'Бот не может сделать это с собой.',
      chat: 'Платформа не знает этого чата, или бот в нём никогда не был.',
      kind: 'Это возможно только в супергруппах и каналах.',
    },
  },

  states: {
    ok: 'Работает',
    failing: 'Сбои',
    open: 'Бэкенд недоступен',
    disabled: 'Отключён',
    not_polled: 'Нет приёма',
  },
  stateHints: {
    ok: 'Обновления приходят и доставляются.',
    failing: 'Последние попытки доставки не удались; обновления будут отправлены снова.',
    open: 'Бэкенд не отвечает 10 секунд. Время от времени он проверяется, обновления ждут.',
    disabled: 'Бот выключен. Ожидающие обновления сохранены.',
    not_polled: 'Бот включён, но обновления не приходят.',
  },

  fleet: {
    title: 'Флот',
    all: 'Все',
    states: 'Боты по состоянию',
    attention: 'Требуют внимания',
    more: (n) => plural(n, { one: 'и ещё {n}', other: 'и ещё {n}' }),
    waiting: (n) => plural(n, { one: '{n} ждёт', other: '{n} ждут' }),
    noUpdates: 'Обновления не приходят.',
    figures: 'Показатели флота',
    in: 'Пришло',
    delivered: 'Доставлено',
    failed: 'Неудачные попытки',
    pending: 'Ожидают',
    dead: 'Не доставлено',
    perSecond: (rate) => `${rate}/с`,
    taken: 'Снято',
    filter: 'Фильтр',
    filterHint: 'Название или @имя',
    clear: 'Сбросить фильтр',
    list: 'Боты',
    count: (n) => plural(n, { one: '{n} бот', few: '{n} бота', many: '{n} ботов', other: '{n} бота' }),
    columns: {
      state: 'Состояние',
      name: 'Название',
      username: 'Имя',
      intake: 'Приём',
      readers: 'Кому',
      pending: 'Ожидают',
      last: 'Последнее',
    },
    intake: { polled: 'опросом', pushed: 'вебхуком' },
    readers: { push: 'бэкенду', pull: 'клиентам', both: 'бэкенду, клиентам', none: 'никому' },
    never: 'никогда',
    noMatch: 'Под фильтр не подходит ни один бот.',
    empty: 'Ботов пока нет.',
    emptyUser: 'Ботов вам назначает администратор.',
  },

  live,
  chart,
  inbox,

  bot: {
    back: 'Флот',
    tabs: {
      label: 'Разделы бота',
      overview: 'Обзор',
      chats: 'Чаты',
      live: 'Поток',
      deliveries: 'Доставка',
      rules: 'Правила',
      statistics: 'Статистика',
      settings: 'Настройки',
    },
    gone: 'Такого бота нет, или он не из ваших.',
    settings: 'Настройки',
    yes: 'вкл.',
    no: 'выкл.',
    none: 'нет',
    fields: {
      id: 'Номер',
      intake: 'Приём',
      backend: 'Бэкенд',
      secret: 'Секрет',
      connections: 'Обновлений одновременно',
      proxy: 'Отправка бэкенду',
      longPoll: 'Длинный опрос',
      manage: 'История, правила, управление чатами',
      kinds: 'Виды обновлений',
      allKinds: 'как принято на платформе',
      source: 'Добавлен',
      sources: { web: 'через API', cli: 'своей программой или командой' },
      description: 'Описание',
      created: 'Зарегистрирован',
    },
    pending: 'Ожидают',
    last: 'Последнее обновление',
    lastError: 'Последняя ошибка',
    error: 'Ошибка',
    readers: {
      title: 'Читатели',
      nobody: 'Обновления этого бота никто не читает.',
      names: { push: 'Бэкенд', pull: 'Клиенты опроса', rules: 'Правила маршрутизации' },
      consumer: 'потребитель',
      states: {
        ok: 'Читает',
        failing: 'Сбои',
        open: 'Недоступен, проверяется',
        paused: 'На паузе',
        parked: 'Отложен',
        off: 'Выключен',
      },
      picture: 'Насколько далеко читатели продвинулись по журналу.',
      oldestUnread: 'Самое старое из ожидающих',
      newest: 'Новейшее обновление',
      upToDate: 'Всё прочитано',
      behind: (n) =>
        plural(n, {
          one: 'отстаёт на {n} обновление',
          few: 'отстаёт на {n} обновления',
          many: 'отстаёт на {n} обновлений',
          other: 'отстаёт на {n} обновления',
        }),
      oldest: 'старейшее пришло',
      tryNow: 'Проверить',
      forget: 'Забыть',
      forgetTitle: (name) => `Забыть потребителя ${name}?`,
      forgetHint: (keeps) =>
        `Его место будет потеряно вместе с обновлениями, которые хранятся только для него: ${keeps}.`,
    },
    attempts: 'Последние попытки',
    noAttempts: 'Бэкенду ещё ничего не отправлялось.',
    columns: { at: 'Отправлено', result: 'Ответ', duration: 'Заняло', update: 'Обновление' },
    noAnswer: 'нет ответа',
    attempt: (id) => `Попытка для обновления ${id}`,
    ms: (n) => `${n} мс`,
  },

  addBot,
  botSettings,
  deliveries,
  outages,
  rules,
  system,
};
