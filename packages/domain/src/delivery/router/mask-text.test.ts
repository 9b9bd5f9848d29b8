import { expect, test } from '@jest/globals';
import { maskText } from './mask-text.ts';

test.each([
  ['My card 4111 1111 1111 1111 was charged', 'My card [number] was charged'],
  ['Ruf mich an: +49 (151) 234-56-78', 'Ruf mich an: [number]'],
  ['order 123456, please', 'order [number], please'],
  ['order 12345, please', 'order 12345, please'],
  ['رقم الطلب ١٢٣٤٥٦٧', 'رقم الطلب [number]'],
  ['IBAN DE89370400440532013000', 'IBAN [number]'],
  ['IBAN DE89 3704 0044 0532 0130 00', 'IBAN DE[number]'],
  ['Пишите на иван.петров@пример.рф!', 'Пишите на [address]!'],
  ['mail ada.lovelace+x@mail.example.co.uk now', 'mail [address] now'],
  ['see https://shop.example/o/77?token=abc and www.shop.example/x', 'see [link] and [link]'],
  ['join t.me/+AbCdEf', 'join [link]'],
  ['reset at bank.example/reset?token=abc and магазин.рф:8080/заказ', 'reset at [link] and [link]'],
  ['write to ada@mail.example/work', 'write to [address]/work'],
  ["I paid 1,234,567 and 1'234'567", 'I paid [number] and [number]'],
  ['4111_1111_1111_1111', '[number]'],
  ['4.5/5 stars on shop.example, and/or e-mail', '4.5/5 stars on shop.example, and/or e-mail'],
  ['server 203.0.113.77 and 2001:db8:0:0:0:0:0:1', 'server [address] and [address]'],
  ['nothing to hide at 10:30, 2 of 3', 'nothing to hide at 10:30, 2 of 3'],
])('%s', (text, masked) => {
  expect(maskText(text, 2_000)).toBe(masked);
});

test.each([
  ['4111 1111 1111 1111', 40],
  ['ada.lovelace@example.com', 35],
  ['bank.example/reset?token=abc', 35],
  ['https://bank.example/reset', 50],
])('of %s in the middle, where a text is cut, shows nothing', (secret, longest) => {
  expect(maskText(`Where is it, please? My one is ${secret} thanks`, longest)).toBe('Where is it, please? My one is');
});

test('cuts a text without spaces, and one of digits', () => {
  expect(maskText('請問訂單'.repeat(1_000), 2_000)).toBe('請問訂單'.repeat(475));
  expect(maskText('7'.repeat(4_096), 2_000)).toBe('[number]');
});

test('takes time in proportion to the text', () => {
  const parts = ['1', '1 ', 'я.', '١', 'a.', 'a@', '1.', 'www.', ':', '+(', '1,', 'ab.', 'ab.cd/', 'A1', '%', 'A١'];
  for (const part of parts) {
    const text = part.repeat(32_768 / part.length);
    const began = performance.now();
    maskText(text, text.length);
    // Far above what it takes, and far below what a pattern that reads on from each letter takes.
    expect(performance.now() - began).toBeLessThan(5_000);
  }
});
