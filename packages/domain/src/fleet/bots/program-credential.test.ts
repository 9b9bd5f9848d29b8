import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import type { ActiveProgram, ActiveToken } from './active-program.ts';
import { programTokens } from './program-credential.ts';

const TOKEN = `5:fv${'a'.repeat(33)}`;
const botWith = (tokens: Partial<ActiveToken>[]) =>
  aBot({ programs: [{ id: 2, tokens: tokens as ActiveToken[] } as ActiveProgram] });

test('a token that was found is found again with its new limits after a change, and not after it is revoked', () => {
  const tokens = programTokens();
  const [before, after] = [
    botWith([{ hash: sha256Hex(TOKEN), chats: null }]),
    botWith([{ hash: sha256Hex(TOKEN), chats: [7] }]),
  ];
  expect(tokens.find(TOKEN)).toBeUndefined();
  tokens.put(before);
  for (let call = 0; call < 2; call++) expect(tokens.find(TOKEN)?.token.chats).toBeNull();
  tokens.remove(before);
  expect(tokens.find(TOKEN)).toBeUndefined();
  tokens.put(after);
  for (let call = 0; call < 2; call++) expect(tokens.find(TOKEN)?.token.chats).toEqual([7]);
  tokens.remove(after);
  tokens.put(botWith([]));
  expect(tokens.find(TOKEN)).toBeUndefined();
});
