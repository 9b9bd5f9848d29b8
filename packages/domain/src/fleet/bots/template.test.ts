import { describe, expect, test } from '@jest/globals';
import { filledTemplate, leavesHostOpen, maskedTemplate, unmaskedTemplate } from './template.ts';

const program = (name: string, backend_url: string) => ({ name, backend_url }) as never;
const urlsOf = ({ backend_url, programs = [] }: ReturnType<typeof maskedTemplate>) => [
  backend_url,
  ...programs.map((one) => one.backend_url),
];

test('masked URLs that are sent back become those of their places, also if only masked parts differ', () => {
  const [bot, one, two] = ['https://h/?key=bot', 'https://h/?key=one', 'https://h/?key=two'];
  const known = { backend_url: bot, programs: [program('one', one), program('two', two)] };
  const shown = maskedTemplate(known);
  expect(urlsOf(unmaskedTemplate(shown, known))).toEqual([bot, one, two]);
  const turned = { ...shown, programs: [...(shown.programs ?? [])].reverse() };
  expect(urlsOf(unmaskedTemplate(turned, known))).toEqual([bot, two, one]);
  const renamed = { programs: [program('three', 'https://h/?key=****')] };
  expect(urlsOf(unmaskedTemplate(renamed, known))).toEqual([undefined, 'https://h/?key=****']);
});

describe('the values of a new bot in a URL', () => {
  const pathOf = (url: string, made: { username?: string; first_name?: string }) => {
    const { backend_url = '' } = filledTemplate(
      { backend_url: url },
      { id: 7, username: 'a_bot', first_name: 'A', ...made },
    );
    return new URL(backend_url).pathname;
  };

  test.each(['.', '..', ''])('lead up no path: %p', (first_name) => {
    expect(pathOf('https://h/t/{name}/hook', { first_name })).toBe('/t/7/hook');
    expect(pathOf('https://h/t/.{name}/hook', { first_name })).toBe('/t/.7/hook');
  });

  test('stand in one part of the path, whatever they are', () => {
    expect(pathOf('https://h/t/{name}', { first_name: '../a?b#c%2e' })).toBe('/t/..%2Fa%3Fb%23c%252e');
    expect(pathOf('https://h/t/{name}', { first_name: '\ud800' })).toBe('/t/%EF%BF%BD');
  });
});

test.each([
  ['https://h.example.com/{username}?of={id}#{name}', false],
  ['https://{username}.example.com/', false],
  ['https://bot-{id}-{name}.eu.example.com:8443/', false],
  ['https://{name}:{id}@h.example.com/', false],
  ['http://bot-{id}:8080/{name}', false],
  ['http://bot-{username}:8080/', true],
  ['http://b{id}{name}/', true],
  ['http://0x{id}/', true],
  ['http://bot-{id}:{id}/', true],
  ['http://bot-{id}@{name}/', true],
  ['https://{id}.example/', true],
  ['https://bot-{id}./', true],
  ['https://{name}/', true],
  ['https://{username}.com/', true],
  ['https://{name}.com./', true],
  ['https://{name}example.com/', true],
  ['https://h.example.{name}/', true],
  ['https://{name}.0.0.1/', true],
  ['https://{id}', true],
  ['https://h.example.com:{id}/', true],
  ['https:{name}.com', true],
  ['https:\\\\{name}', true],
  ['https://h.example.com@{name}/', true],
  ['{name}', true],
])('a template with %s lets a stranger choose the server: %p', (url, isOpen) => {
  expect(leavesHostOpen(url)).toBe(isOpen);
});
