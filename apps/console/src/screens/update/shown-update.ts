import type { Answer } from '../../call.ts';

export type ShownUpdate = Answer<'showUpdate'>;
