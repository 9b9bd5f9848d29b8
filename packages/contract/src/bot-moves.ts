import { z } from 'zod';

/** The steps of a move, in their order. */
export const MOVE_STEPS = ['drain', 'log_out', 'log_in', 'start'] as const;
export type MoveStep = (typeof MOVE_STEPS)[number];

const MOVE_STEP_NOTE =
  'drain: Flotilla takes in what waits at the present server. log_out: what the bot sends waits, and the present server lets it go. log_in: the next server is asked until it knows the bot. start: updates are taken in from there.';

const step = z.enum(MOVE_STEPS).describe(MOVE_STEP_NOTE);

export const moving = z
  .strictObject({
    to: z.string().describe('The name of the server that the bot moves to.'),
    step,
    since: z.iso.datetime().describe('When the move began.'),
    waits_until: z.iso.datetime().optional().describe('Until when the step waits, where that is known.'),
    reason: z.string().optional().describe('What the step waits for. Absent: it goes on.'),
  })
  .describe(
    'The move of the bot to another Bot API server (`POST /api/bots/move`). From log_out on, calls of the bot get 503, and what Flotilla sends by itself waits. Absent: it does not move.',
  );

export const movePlan = z.strictObject({
  from: z.string().describe('The name of the present server.'),
  to: z.string().describe('The name of the next one.'),
  steps: z
    .array(z.strictObject({ step, text: z.string().describe('What happens, for people.') }))
    .describe('The steps, in their order.'),
  pending_update_count: z
    .int()
    .nullable()
    .describe('How many updates wait at the present server; null: it did not tell.'),
  target_answers: z.boolean().describe('True if the next server answers.'),
  refused_for_s: z
    .int()
    .describe(
      'For how many seconds the next server refuses the bot, since it logged out there less than ten minutes ago.',
    ),
  obstacles: z.array(z.string()).describe('Why it cannot move now. A move with obstacles is refused with 409.'),
  notes: z.array(z.string()).describe('What somebody should know before.'),
});

export type MovePlan = z.infer<typeof movePlan>;
export type ShownMove = z.infer<typeof moving>;
