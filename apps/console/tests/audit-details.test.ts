import { expect, test } from '@jest/globals';
import { Hidden, readDetails } from '../src/screens/audit/read-details.ts';
import { auditDetails as russian } from '../src/words/ru/audit-details.ts';

test('the details of an entry are read as fields with their values', () => {
  expect(readDetails('key 3; name: "a; b → c"; bot_ids: null → [7,9]; secret_token changed; entries: 4')).toEqual([
    { field: 'key 3', before: undefined, after: undefined },
    { field: 'name', before: undefined, after: 'a; b → c' },
    { field: 'bot_ids', before: null, after: [7, 9] },
    { field: 'secret_token', before: undefined, after: new Hidden('changed') },
    { field: 'entries', before: undefined, after: '4' },
  ]);
  expect(readDetails('read_only: true an upgrade; assigned to: ada → nobody')).toEqual([
    { field: 'read_only', before: undefined, after: 'true an upgrade' },
    { field: 'assigned to', before: 'ada', after: 'nobody' },
  ]);
  expect(readDetails('')).toEqual([]);
});

test('objects of former releases are read field by field', () => {
  const filters = 'filter: {"keyword":"a","chat_ids":[1]} → {"keyword":"b","chat_ids":[1]}';
  expect(readDetails(filters)).toEqual([{ field: 'filter.keyword', before: 'a', after: 'b' }]);
  expect(readDetails('filter: {} → {"keyword":"b"}')).toEqual([{ field: 'filter.keyword', before: null, after: 'b' }]);
  expect(readDetails('template: {"pace":{"per_second":5}}')).toEqual([
    { field: 'template.pace.per_second', before: undefined, after: 5 },
  ]);
});

test('of what was cut, the whole part is read', () => {
  expect(readDetails('text: "long \\"and\\u00…; name: "b"')).toEqual([
    { field: 'text', before: undefined, after: 'long "and…' },
    { field: 'name', before: undefined, after: 'b' },
  ]);
  expect(readDetails('bot_ids: [101,102,10…')).toEqual([
    { field: 'bot_ids', before: undefined, after: [101, 102, '…'] },
  ]);
});

test('parts of details are told in Russian where they are known', () => {
  const told = ['route 5', 'for 30 min', 'failures of broadcast 3', 'created, Main', 'Port'].map(russian.part);
  expect(told).toEqual(['правило 5', 'на 30 мин', 'сбои рассылки 3', 'создано, Main', 'Port']);
});
