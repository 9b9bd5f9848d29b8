import { z } from 'zod';
import { storeFile } from '../files/store-file.ts';
import type { Simulator } from '../simulator.ts';
import { inChat } from './fields.ts';
import { placeOf } from './lookups.ts';
import { operation } from './operation.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQjd4BAAHJATHdK0+8AAAAAElFTkSuQmCC';

export const setPhoto = operation(
  'Gives a person a photo that this bot sees, or a chat its photo; no message tells of it',
  {
    input: inChat({
      base64: z.string().describe('the bytes of the picture'),
      name: z.string().optional().describe('of the file; its ending says what it is'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, base64: PIXEL, name: 'ada.png' },
  },
  (sim: Simulator, input): void => {
    const { chat } = placeOf(sim, input);
    chat.photo = storeFile(sim, 'photo', {
      name: input.name ?? '',
      bytes: Buffer.from(input.base64, 'base64'),
    }).fileId;
    sim.storage.saveChat(chat);
  },
);
