import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Candidate } from './candidate.ts';
import { chooseByWords } from './choose-by-words.ts';
import { rankByWords } from './rank-by-words.ts';

type Labelled = { bots: Candidate[]; messages: { bot: number | null; text: string }[] };

/** 220 messages as people write them to a shop, each with the bot that it is for; null: for none. */
const labelled = JSON.parse(readFileSync(`${import.meta.dirname}/labelled-messages.json`, 'utf8')) as Record<
  string,
  Labelled
>;

function choiceOf(bots: Candidate[], text: string): number | null {
  const verdict = chooseByWords(bots, text);
  return verdict.outcome === 'chosen' ? verdict.targetBotId : null;
}

test.each(Object.entries(labelled))('chooses the right bot or none, and seldom a wrong one: %s', (_language, set) => {
  const choices = set.messages.map(({ bot, text }) => ({ text, bot, choice: choiceOf(set.bots, text) }));
  const right = choices.filter(({ bot, choice }) => choice === bot);
  const wrong = choices.filter(({ bot, choice }) => choice !== null && choice !== bot);
  // Measured: 35 to 41 of 55 right, 1 or 2 wrong.
  expect(right.length).toBeGreaterThanOrEqual(35);
  expect(wrong.length).toBeLessThanOrEqual(2);
});

const SHOP: Candidate = { id: 1, name: 'Shop', description: 'Orders, parcels and deliveries' };
const DESK: Candidate = { id: 2, name: 'Desk', description: 'Rechnungen und Rückerstattungen; возврат денег' };
const TEA: Candidate = { id: 3, name: '茶', description: '订单和快递的查询' };

test('compares stems in several languages, and names the words that fit', () => {
  const all = [SHOP, DESK, TEA];
  const ranked = (text: string) => rankByWords(all, text).map(({ id, words }) => ({ id, words: words() }));
  expect(ranked('The parcel of my order')).toEqual([{ id: 1, words: ['parcel', 'order'] }]);
  expect(ranked('meine Rechnung')).toEqual([{ id: 2, words: ['rechnung'] }]);
  expect(ranked('где мои ДЕНЬГИ, нужен возврата')).toMatchObject([{ id: 2 }]);
  expect(ranked('我的快递在哪里')).toMatchObject([{ id: 3 }]);
});

test('chooses none without a word in common, and where two bots fit alike', () => {
  expect(chooseByWords([SHOP, DESK], 'and the of')).toMatchObject({ outcome: 'none' });
  expect(chooseByWords([SHOP, DESK], '🙂')).toMatchObject({ outcome: 'none' });
  expect(chooseByWords([SHOP, { ...SHOP, id: 9 }], 'my order')).toMatchObject({
    outcome: 'none',
    reason: expect.stringContaining('several bots fit'),
  });
});

test('of a message with the words of every bot of a large fleet, only some are searched for', () => {
  const words = Array.from({ length: 200 }, (_, at) => `word${at}`);
  const description = (from: number) => Array.from({ length: 40 }, (_, at) => words[(from + 7 * at) % 200]).join(' ');
  const bots = Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `bot${at}`, description: description(at) }));
  const found = new Set(rankByWords(bots, words.join(' ')).flatMap((ranked) => ranked.words()));
  // Each is used 400 times, and a search may look at 20,000 uses.
  expect(found.size).toBe(50);
});
