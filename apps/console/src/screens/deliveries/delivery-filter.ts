import type { DeliveryResource, ReasonCode } from '@flotilla/contract/deliveries.ts';
import type { deliveryAttemptOperations } from '@flotilla/contract/delivery-attempts.ts';
import type { deliveryJobOperations } from '@flotilla/contract/delivery-jobs.ts';
import type { CallInput } from '@flotilla/contract/operation.ts';
import { given, readId, readMoment, readText } from '../../parts/filters.tsx';
import { readAttempt } from '../bot/attempt-address.ts';

export const DELIVERY_STATES = ['retrying', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const READERS = ['push', 'program', 'rules', 'history'] as const;
export const ATTEMPT_READERS = ['push', 'rules', 'program'] as const;
type Reader = (typeof READERS)[number];

/** The filters of the list, and the job whose progress is shown, from the address. */
export type DeliveryFilter = {
  state?: 'retrying' | 'attempts';
  bot?: string;
  reader?: Reader;
  /** The id of one program. */
  program?: string;
  reason?: ReasonCode;
  status?: string;
  since?: string;
  until?: string;
  q?: string;
  /** Of attempts only: whether the update was delivered, its chat and its number. */
  ok?: 'true' | 'false';
  chat?: string;
  update?: string;
  job?: string;
  /** The delivery that is open beside the list. */
  open?: string;
  /** The attempt that is. */
  attempt?: string;
};

/** Fields to change; undefined ones are taken away. */
export type FilterChanges = { [Name in keyof DeliveryFilter]?: DeliveryFilter[Name] | undefined };

const REASONS: Readonly<Record<ReasonCode, true>> = {
  refused: true,
  unreachable: true,
  timed_out: true,
  forbidden_address: true,
  not_signed: true,
  expired: true,
  crashed: true,
  backend_removed: true,
  rules_removed: true,
  destination_failed: true,
  too_far_behind: true,
  unstorable: true,
  skipped: true,
  unknown: true,
};
export const REASON_CODES = Object.keys(REASONS) as ReasonCode[];

/** A bot, a reader and an update: '7.push.813', '7.program:4.813'. */
const OPEN = /^\d{1,15}\.(push|rules|history|program:\d{1,15})\.\d{1,16}$/;

export function openOf({ bot_id: bot, reader, program_id: program, update_id: update }: DeliveryResource): string {
  return `${bot}.${reader === 'program' ? `program:${program}` : reader}.${update}`;
}

export function readDeliveryFilter(search: Record<string, unknown>): DeliveryFilter {
  const { state, reader, reason, status, ok } = search;
  return given({
    state: state === 'retrying' || state === 'attempts' ? state : undefined,
    bot: readId(search.bot),
    reader: READERS.find((one) => one === reader),
    program: readId(search.program),
    reason: REASON_CODES.find((one) => one === reason),
    status: typeof status === 'string' && /^(0|[1-5](xx|\d\d))$/.test(status) ? status : undefined,
    since: readMoment(search.since),
    until: readMoment(search.until),
    q: readText(search.q),
    ok: ok === 'true' || ok === 'false' ? ok : undefined,
    chat: readId(search.chat),
    update: /^\d{1,16}$/.test(String(search.update)) ? String(search.update) : undefined,
    job: readId(search.job),
    open: typeof search.open === 'string' && OPEN.test(search.open) ? search.open : undefined,
    attempt: readAttempt(search.attempt),
  });
}

/** The conditions as the api takes them, of the list and of an act on all that it shows. */
export function conditionsOf({ bot, reader, program, reason, status, since, until, q }: DeliveryFilter) {
  return given({
    bot_id: bot,
    reader,
    program_id: program,
    reason_code: reason,
    status,
    since,
    until,
    q,
  }) satisfies ActInput['filter'];
}

/** The conditions of a list of attempts. */
export function attemptConditions({ reader, program, ok, status, chat, update, since, until }: DeliveryFilter) {
  return given({
    reader: ATTEMPT_READERS.find((one) => one === reader),
    ...{ program_id: program, ok, status, chat_id: chat, update_id: update, since, until },
  }) satisfies Partial<CallInput<(typeof deliveryAttemptOperations)['listDeliveryAttempts']>>;
}

type ActInput = CallInput<(typeof deliveryJobOperations)['redriveDeliveries']>;

/** True if the list is narrowed at all, beside its bot. */
export function isNarrowed({ reader, program, reason, status, since, until, q }: DeliveryFilter): boolean {
  return [reader, program, reason, status, since, until, q].some((value) => value !== undefined);
}
