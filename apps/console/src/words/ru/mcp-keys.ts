import type { mcpKeys as en } from '../en/mcp-keys.ts';
import { plurals } from '../plural.ts';

const plural = plurals('ru');

export const mcpKeys: typeof en = {
  purpose: 'Для чего ключ',
  purposes: {
    rest: 'Для программы, которая вызывает REST API',
    read: 'Для агента (MCP), который только читает',
    write: 'Для агента (MCP), который читает и пишет',
  },
  purposeHints: {
    rest: 'С правами учётной записи или с меньшими.',
    read: 'Читает сообщения выбранных чатов, ищет по ним, находит их участников и ждёт новых сообщений. В REST такой ключ не действует.',
    write:
      'Кроме того, отправляет и изменяет там сообщения, задаёт людям вопросы с кнопками, перехватывает чаты и заново отправляет недоставленное.',
  },
  chats: 'Чаты',
  addChat: 'Добавить чат',
  addChatHint: 'Других чатов агент не видит. Добавить чаты к готовому ключу нельзя.',
  noChat: 'Выберите хотя бы один чат: без них агент ничего не увидит.',
  chat: (id) => `Чат ${id}`,
  inBot: (chat, bot) => `${chat} · ${bot}`,
  may: { read: 'Читает', write: 'Читает и пишет' },
  noChats: 'нет чатов',
  chatCount: (n) => plural(n, { one: '{n} чат', few: '{n} чата', many: '{n} чатов', other: '{n} чата' }),
  clients: 'Как настроить клиента',
  url: 'Адрес',
  header: 'Заголовок',
  json: 'Клиенты с файлом JSON',
  copyLine: (name) => `Копировать: ${name}`,
};
