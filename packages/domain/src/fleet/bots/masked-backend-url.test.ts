import { expect, test } from '@jest/globals';
import { maskedBackendUrl } from './masked-backend-url.ts';

const TOKEN = '123456:AAF_abcdefghijklmnopqrstuvwxyz-12345';

test.each([
  ['', ''],
  ['https://bots.example.com:8443/hook', 'https://bots.example.com:8443/hook'],
  ['bots.example.com/hook', 'bots.example.com/hook'],
  ['https://user:pass@bots.example.com/hook', 'https://****@bots.example.com/hook'],
  ['https://key@bots.example.com', 'https://****@bots.example.com'],
  ['https://:pass@bots.example.com', 'https://****@bots.example.com'],
  ['https://u:p@ss@bots.example.com/', 'https://****@bots.example.com/'],
  ['user:pass@bots.example.com/hook', '****@bots.example.com/hook'],
  ['https://h/hook?key=abc&b=1=2&lone&=x&', 'https://h/hook?key=****&b=****&****&=****&'],
  ['https://h?key=a@b/c', 'https://h?key=****'],
  ['https://h/hook?', 'https://h/hook?'],
  ['https://h/hook#key', 'https://h/hook#****'],
  ['http://[::1]:80/a', 'http://[::1]:80/a'],
  [`https://h/bot/${TOKEN}/x`, 'https://h/bot/123456:****/x'],
  [`https://h/${TOKEN.replace(':', '%3a')}`, 'https://h/123456%3a****'],
  ['https://h/hook/a-long-secret/x', 'https://h/hook/****/x'],
])('%s is shown as %s', (backendUrl, shown) => {
  expect(maskedBackendUrl({ backend_url: backendUrl, secret_token: 'a-long-secret' })).toBe(shown);
});

test('a secret that is a short word does not hide the words it is in', () => {
  expect(maskedBackendUrl({ backend_url: 'https://h/hook', secret_token: 'o' })).toBe('https://h/hook');
});
