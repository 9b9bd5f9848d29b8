import { ERROR_STATUS } from '@flotilla/contract/errors.ts';
import { expect, test } from '@jest/globals';
import { words as english } from '../src/words/en.ts';
import { words as russian } from '../src/words/ru.ts';

test('every code of the api has a sentence in Russian; in English the sentence of the api says it', () => {
  expect(Object.keys(russian.errors.codes ?? {}).sort()).toEqual(Object.keys(ERROR_STATUS).sort());
  expect(english.errors.codes).toBeNull();
  expect(english.errors.inWords('Bot not found')).toBe('Bot not found');
});

test.each([
  ['must be an integer from 1 to 100', 'Нужно целое число от 1 до 100.'],
  ['must have at most 64 characters', 'Не более 64 символов.'],
  ['The search took too long; search one bot or chat, a shorter time, or for a rarer word', /^Поиск занял слишком/],
  ['This token is registered already, as bot 7', 'Этот токен уже добавлен: бот 7.'],
  ['IP address 10.0.0.1 is reserved; BACKEND_ALLOWED_CIDRS can allow its range', /^Адрес 10\.0\.0\.1 зарезервирован/],
  [
    'bad webhook: host in.example has an IP address that is reserved; BACKEND_ALLOWED_CIDRS can allow its range',
    /^Адрес узла in\.example зарезервирован/,
  ],
  ['host 169.254.169.254 is a metadata service, which is never allowed', /^Узел 169\.254\.169\.254 —/],
])('what the api says is said in Russian: %s', (sentence, said) => {
  expect(russian.errors.inWords(sentence)).toEqual(expect.stringMatching(said));
});

test('a sentence that nobody has put into Russian is not guessed at', () => {
  expect(russian.errors.inWords('must be something new')).toBeNull();
});
