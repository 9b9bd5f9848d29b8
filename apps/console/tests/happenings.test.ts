import { expect, test } from '@jest/globals';
import { words as english } from '../src/words/en.ts';
import { words as russian } from '../src/words/ru.ts';

test.each([
  [
    'The backend of the program "crm" fails: Wrong response from the webhook: 502 Bad Gateway; 3 wait',
    'Программа «crm» не отвечает: Бэкенд ответил: 502 Bad Gateway; в очереди: 3',
  ],
  ['Created by an operator: ADMIN_API_KEY (admin)', /^ADMIN_API_KEY .admin., создан: оператор$/],
  ['12 updates failed: Read timeout expired', 'Не доставлено обновлений: 12. Бэкенд не ответил вовремя'],
  ['Chat -100 was taken over for 30 min, by its own program', /^Чат -100 перехвачен .*собственная программа$/],
  [
    'Updates wait, and no program is polling (last poll: 2026-11-30T00:00:00.000Z)',
    /^Обновления ждут, и никто не опрашивает .последний раз 2026-/,
  ],
  ['The upstream local refuses: 401 Unauthorized', 'сервер local отклоняет: 401 Unauthorized'],
  ['The platform takes no bot back for ten minutes after it left', /^Telegram не принимает бота обратно десять минут/],
  [
    'The upstream local does not answer: timeout, and the bot may be logged in there',
    'сервер local не отвечает: timeout. Бот, возможно, остался там',
  ],
  ['Nothing is polled or sent: Redis belongs to another installation', /Redis принадлежит другой установке$/],
  [
    'no updates wait at the upstream local; what still comes is taken in',
    /^ожидающих обновлений нет .сервер local., а те, что ещё придут, принимаются$/,
  ],
])('what happened is told in Russian, with its reason: %s', (sentence, told) => {
  expect(russian.told(sentence)).toEqual(expect.stringMatching(told));
  expect(english.told(sentence)).toBe(sentence);
});

test('what nobody has put into Russian is told as it is', () => {
  expect(russian.told('Something new, of 5 bots')).toBe('Something new, of 5 bots');
});
