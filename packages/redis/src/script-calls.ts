// Made from the headers of the scripts by: npm run scripts

import type { RedisCommands } from './redis-commands.ts';
import { runScript, runScriptRaw } from './scripts.ts';

type Value = string | number | Buffer | null | Value[];

function numberOrNull(value: Value | undefined): number | null {
  return value === '' || value === null ? null : Number(value);
}

function textOrNull(value: Value | undefined): string | null {
  return value === '' || value === null ? null : String(value);
}

export type UnitRow = { lane: string; record: string | null; progress: string; updates: UpdateRow[] };
function unitRow(row: Value[]): UnitRow {
  const updates: UpdateRow[] = [];
  for (let from = 3; from < row.length; from += 7) updates.push(updateRow(row, from));
  return { lane: String(row[0]), record: textOrNull(row[1]), progress: String(row[2]), updates };
}

export type UpdateRow = { inLane: string; id: number; raw: string; kind: string; ageMs: number; livesMs: number; traceparent: string | null };
function updateRow(row: Value[], from: number): UpdateRow {
  return { inLane: String(row[from]), id: Number(row[from + 1]), raw: String(row[from + 2]), kind: String(row[from + 3]), ageMs: Number(row[from + 4]), livesMs: Number(row[from + 5]), traceparent: textOrNull(row[from + 6]) };
}

export type BehindRow = { programId: number; limit: 'updates' | 'time' | 'memory' };
function behindRow(row: Value[]): BehindRow {
  return { programId: Number(row[0]), limit: row[1] as 'updates' | 'time' | 'memory' };
}

export type ShownRow = { id: number; lane: string; kind: string; raw: string };
function shownRow(row: Value[]): ShownRow {
  return { id: Number(row[0]), lane: String(row[1]), kind: String(row[2]), raw: String(row[3]) };
}

export type FloodRow = { name: string; number: number; leftMs: number; agedMs: number };
function floodRow(row: Value[]): FloodRow {
  return { name: String(row[0]), number: Number(row[1]), leftMs: Number(row[2]), agedMs: Number(row[3]) };
}

export type BotRow = { on: string; pull: string; push: string; pushKeptUntil: string; rules: string; failingSince: string; openUntil: string; pushErr: string; pushErrAt: string; pushOkAt: string; pulledAt: string; servedSince: string };
function botRow(row: Value[]): BotRow {
  return { on: String(row[0]), pull: String(row[1]), push: String(row[2]), pushKeptUntil: String(row[3]), rules: String(row[4]), failingSince: String(row[5]), openUntil: String(row[6]), pushErr: String(row[7]), pushErrAt: String(row[8]), pushOkAt: String(row[9]), pulledAt: String(row[10]), servedSince: String(row[11]) };
}

export type ReaderRow = { reader: string; cursor: number | null; behind: number; oldestAtMs: number | null; inFlight: number | null; dueAtMs: number | null; keeps: number; polledAtMs: number | null; polledBy: string; program: ProgramRow | null };
function readerRow(row: Value[]): ReaderRow {
  return { reader: String(row[0]), cursor: numberOrNull(row[1]), behind: Number(row[2]), oldestAtMs: numberOrNull(row[3]), inFlight: numberOrNull(row[4]), dueAtMs: numberOrNull(row[5]), keeps: Number(row[6]), polledAtMs: numberOrNull(row[7]), polledBy: String(row[8]), program: row[9] === '' ? null : programRow(row[9] as Value[]) };
}

export type ProgramRow = { push: string; failingSince: string; openUntil: string; pushErr: string; pushErrAt: string; pushOkAt: string; parkedAt: string; parkedFor: string };
function programRow(row: Value[]): ProgramRow {
  return { push: String(row[0]), failingSince: String(row[1]), openUntil: String(row[2]), pushErr: String(row[3]), pushErrAt: String(row[4]), pushOkAt: String(row[5]), parkedAt: String(row[6]), parkedFor: String(row[7]) };
}

export type GrantedRow = { limit: 'none' | 'chat' | 'bot'; waitMs: number };
function grantedRow(row: Value[]): GrantedRow {
  return { limit: row[0] as 'none' | 'chat' | 'bot', waitMs: Number(row[1]) };
}

export type BackendKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; consumers: string; attempts: string; live: string; failing: string };
export type BackendArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  /** the attempts that the caller has made since its last call, a line each */
  tried: string;
  /** the same as lib/activity.lua counts them */
  measured: string;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  activityPrefix: string;
  shardActivityPrefix: string;
  /** of the keys of lib/activity.lua */
  readerMinutesPrefix: string;
  /** of the requests that the caller has made since its last call; '' keeps the old one */
  lastError: string;
  /** how long ago the earliest failed request began; absent when none failed */
  failedForMs: number | null;
  /** one of them did */
  succeeded: boolean;
  /** gone: every answer was 410 */
  answers: 'none' | 'gone' | 'other';
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
};

export type OutcomesArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  /** the attempts that the caller has made since its last call, a line each */
  tried: string;
  /** the same as lib/activity.lua counts them */
  measured: string;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  activityPrefix: string;
  shardActivityPrefix: string;
  /** of the keys of lib/activity.lua */
  readerMinutesPrefix: string;
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
};

export type SettleArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
};

export type TurnKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; consumers: string; attempts: string; live: string; failing: string };
export type TurnArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
};

export type AcceptUpdatesKeys = { state: string; log: string; history: string; pendingTurns: string; consumers: string; live: string; accepted: string; recent: string; holds: string; missed: string; seen: string[] };
export type AcceptUpdatesArgs = {
  registrationId: string;
  botId: number;
  moves: number;
  activityPrefix: string;
  /** of the keys of lib/activity.lua */
  shardActivityPrefix: string;
  /** of the polling turn; absent for a push by the platform */
  fencingToken: number | null;
  /** to ask the platform for; absent keeps it */
  pollOffset: number | null;
  /** backlog limit (updates) of the quickest reader */
  quickestLimit: number;
  /** that of the slowest reader; absent unless memory is tight */
  slowestLimit: number | null;
  /** '' when not traced */
  traceparent: string;
  /** the highest reserved update id; absent when the caller did not ask Postgres */
  reservedId: number | null;
  /** those of the Redis servers that the caller knows */
  runIds: string;
  /** of the filters by which the updates were matched, '' for none */
  filtersDigest: string;
  /** the mark of each update, as lib/log.lua says, and after a space its album, if it is in one; '' for none */
  marksJson: string;
  updates: readonly { platformId: number; bitmap: number; /** which of `seen`, counted from 1, and the bit in it */ bit: number; kind: string; lane: string; /** how long it is kept, from now */ keepMs: number; /** the end of that from the date of its event; absent when it has none */ expiresAtMs: number | null; idStart: number; /** offset of the first and of the last digit of update_id in raw, from 1 */ idEnd: number; /** readers get it also while its chat is held */ passesHold: boolean; raw: string }[];
};
export type AcceptUpdatesReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'FENCED' }
  | { outcome: 'FULL' }
  | { outcome: 'DOUBT' }
  | { outcome: 'FILTERS'; digest: string; filters: string }
  | { outcome: 'OK'; appended: number; duplicates: number; lastId: number; wakePush: boolean; wakeHistory: boolean; wakeRules: boolean; wakePrograms: number[]; reserveIds: boolean };
/** Appends updates from the platform to a bot's log and to the history stream: each once, all or none. See scripts/accept-updates.lua. */
async function acceptUpdates(redis: RedisCommands, keys: AcceptUpdatesKeys, args: AcceptUpdatesArgs): Promise<AcceptUpdatesReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.history, keys.pendingTurns, keys.consumers, keys.live, keys.accepted, keys.recent, keys.holds, keys.missed];
  for (const key of keys.seen) sent.push(key);
  const keyCount = sent.length;
  sent.push(args.registrationId, args.botId, args.moves, args.activityPrefix, args.shardActivityPrefix, args.fencingToken ?? '', args.pollOffset ?? '', args.quickestLimit, args.slowestLimit ?? '', args.traceparent, args.reservedId ?? '', args.runIds, args.filtersDigest, args.marksJson);
  for (const one of args.updates) sent.push(one.platformId, one.bitmap, one.bit, one.kind, one.lane, one.keepMs, one.expiresAtMs ?? '', one.idStart, one.idEnd, one.passesHold ? '1' : '0', one.raw);
  const reply = await runScript(redis, 'accept-updates', keyCount, sent);
  switch (reply[0]) {
    case 'FILTERS':
      return { outcome: 'FILTERS', digest: String(reply[1]), filters: String(reply[2]) };
    case 'OK':
      return { outcome: 'OK', appended: Number(reply[1]), duplicates: Number(reply[2]), lastId: Number(reply[3]), wakePush: reply[4] === 1, wakeHistory: reply[5] === 1, wakeRules: reply[6] === 1, wakePrograms: (reply[7] as Value[]).map(Number), reserveIds: reply[8] === 1 };
    default:
      return { outcome: reply[0] } as AcceptUpdatesReply;
  }
}

export type ActOnRetryingKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; readerState: string };
export type ActOnRetryingArgs = {
  registrationId: string;
  botId: number;
  lanePrefix: string;
  /** 'push', 'rules' or 'program:<id>' */
  reader: string;
  act: 'try' | 'skip';
  units: readonly string[];
};
export type ActOnRetryingReply =
  | { outcome: 'GONE' }
  | { outcome: 'OK'; done: number; wakeHistory: boolean };
/** Has updates that are retried tried now, or gives them up, so that the next ones of their chats go on. See scripts/act-on-retrying.lua. */
async function actOnRetrying(redis: RedisCommands, keys: ActOnRetryingKeys, args: ActOnRetryingArgs): Promise<ActOnRetryingReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.history, keys.pendingTurns, keys.readerState, args.registrationId, args.botId, args.lanePrefix, args.reader, args.act];
  for (const one of args.units) sent.push(one);
  const reply = await runScript(redis, 'act-on-retrying', 9, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', done: Number(reply[1]), wakeHistory: reply[2] === 1 };
    default:
      return { outcome: reply[0] } as ActOnRetryingReply;
  }
}

export type AppendCallsKeys = { state: string; history: string; pendingTurns: string; holds: string; batches: string; live: string };
export type AppendCallsArgs = {
  registrationId: string;
  botId: number;
  /** its number, above all earlier ones of the process */
  batch: number;
  activityPrefix: string;
  /** of the keys of lib/activity.lua */
  shardActivityPrefix: string;
  calls: readonly string[];
};
export type AppendCallsReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'OK'; wakeHistory: boolean; sends: boolean };
/** Appends captured calls to the history stream, unless the bot is gone or keeps no history. A batch that was appended before is skipped, because only its reply was lost. See scripts/append-calls.lua. */
async function appendCalls(redis: RedisCommands, keys: AppendCallsKeys, args: AppendCallsArgs): Promise<AppendCallsReply> {
  const sent: (string | number)[] = [keys.state, keys.history, keys.pendingTurns, keys.holds, keys.batches, keys.live, args.registrationId, args.botId, args.batch, args.activityPrefix, args.shardActivityPrefix];
  for (const one of args.calls) sent.push(one);
  const reply = await runScript(redis, 'append-calls', 6, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', wakeHistory: reply[1] === 1, sends: reply[2] === 1 };
    default:
      return { outcome: reply[0] } as AppendCallsReply;
  }
}

export type ApplyBotKeys = { state: string; log: string; consumers: string; deliveredAhead: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; rulesLanes: string; rulesInFlight: string; rulesWork: string; rulesRedriven: string };
export type ApplyBotArgs = {
  registrationId: string;
  lanePrefix: string;
  pull: boolean;
  push: boolean;
  manage: boolean;
  on: boolean;
  /** kinds (',message,poll,' or '' for the default set) */
  allowed: string;
  /** stored changes of cursors, as packages/domain/src/fleet/bots/cursor-change.ts says; those that an earlier call has applied are left out here */
  changesJson: string;
  /** of the configuration */
  revision: number;
  botId: number;
  rules: boolean;
  rulesLanePrefix: string;
  /** how often the bot came to another server */
  moves: number;
  /** update ids up to this one may have been given out */
  reservedId: number;
  /** ids of the bot's programs (',1,5,') */
  programs: string;
  /** the programs that also get what is held (',1,5,') */
  seesHeld: string;
  filters: string;
  /** what decides which programs get an update, '' for none */
  filtersDigest: string;
  /** the programs that push (' 5:1:target', with 1 unless it is paused) */
  pushing: string;
  /** of the keys of programs */
  programPrefix: string;
  /** waiting updates */
  drops: boolean;
  /** the program for which waiting updates are dropped */
  dropsOf: number | null;
};
export type ApplyBotReply =
  | { outcome: 'GONE' }
  | { outcome: 'OLD' }
  | { outcome: 'OK'; waits: boolean; more: boolean };
/** Brings a bot's state in line with its configuration; the only script that creates a state. See scripts/apply-bot.lua. */
async function applyBot(redis: RedisCommands, keys: ApplyBotKeys, args: ApplyBotArgs): Promise<ApplyBotReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.deliveredAhead, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.history, keys.pendingTurns, keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven, args.registrationId, args.lanePrefix, args.pull ? '1' : '0', args.push ? '1' : '0', args.manage ? '1' : '0', args.on ? '1' : '0', args.allowed, args.changesJson, args.revision, args.botId, args.rules ? '1' : '0', args.rulesLanePrefix, args.moves, args.reservedId, args.programs, args.seesHeld, args.filters, args.filtersDigest, args.pushing, args.programPrefix, args.drops ? '1' : '0', args.dropsOf ?? ''];
  const reply = await runScript(redis, 'apply-bot', 14, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', waits: reply[1] === 1, more: reply[2] === 1 };
    default:
      return { outcome: reply[0] } as ApplyBotReply;
  }
}

export type BeginPollingKeys = { state: string; log: string; consumers: string };
export type BeginPollingArgs = {
  registrationId: string;
};
export type BeginPollingReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'OK'; fencingToken: number; pollOffset: number; polledAgoMs: number | null; quickest: number; slowest: number; refusedForMs: number | null };
/** Makes the caller the owner of a bot's polling: every older fencing token is refused from now on. See scripts/begin-polling.lua. */
async function beginPolling(redis: RedisCommands, keys: BeginPollingKeys, args: BeginPollingArgs): Promise<BeginPollingReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, args.registrationId];
  const reply = await runScript(redis, 'begin-polling', 3, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', fencingToken: Number(reply[1]), pollOffset: Number(reply[2]), polledAgoMs: numberOrNull(reply[3]), quickest: Number(reply[4]), slowest: Number(reply[5]), refusedForMs: numberOrNull(reply[6]) };
    default:
      return { outcome: reply[0] } as BeginPollingReply;
  }
}

export type CheckProgramsKeys = { state: string; log: string; consumers: string; pendingTurns: string };
export type CheckProgramsArgs = {
  registrationId: string;
  botId: number;
  /** of the keys of programs */
  programPrefix: string;
  limit: number;
  /** how many updates may wait, and for how long */
  limitMs: number;
  /** with so many waiting, a program stops the intake of its bot; absent unless memory is tight */
  tightLimit: number | null;
  /** for so long it may */
  tightForMs: number;
};
export type CheckProgramsReply =
  | { outcome: 'GONE' }
  | { outcome: 'OK'; newestId: number; wakePrograms: number[]; behind: BehindRow[] };
/** Finds programs of a bot that are behind their limit, and those with new or due updates that have no pending turn. See scripts/check-programs.lua. */
async function checkPrograms(redis: RedisCommands, keys: CheckProgramsKeys, args: CheckProgramsArgs): Promise<CheckProgramsReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.pendingTurns, args.registrationId, args.botId, args.programPrefix, args.limit, args.limitMs, args.tightLimit ?? '', args.tightForMs];
  const reply = await runScript(redis, 'check-programs', 4, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', newestId: Number(reply[1]), wakePrograms: (reply[2] as Value[]).map(Number), behind: (reply[3] as Value[][]).map(behindRow) };
    default:
      return { outcome: reply[0] } as CheckProgramsReply;
  }
}

export type ClaimForProgramKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; consumers: string; attempts: string; live: string; failing: string; program: string; deliveredAhead: string };
export type ClaimForProgramArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  /** the attempts that the caller has made since its last call, a line each */
  tried: string;
  /** the same as lib/activity.lua counts them */
  measured: string;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  activityPrefix: string;
  shardActivityPrefix: string;
  /** of the keys of lib/activity.lua */
  readerMinutesPrefix: string;
  /** of the requests that the caller has made since its last call; '' keeps the old one */
  lastError: string;
  /** how long ago the earliest failed request began; absent when none failed */
  failedForMs: number | null;
  /** one of them did */
  succeeded: boolean;
  /** gone: every answer was 410 */
  answers: 'none' | 'gone' | 'other';
  /** that the program wants, as in read-page */
  kinds: string;
  /** that its webhook asks for, of what it took alone under other kinds */
  takenKinds: string;
  /** of the configuration that these are of */
  revision: number;
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
};
export type ClaimForProgramReply =
  | { outcome: 'GONE' }
  | { outcome: 'FENCED' }
  | { outcome: 'OFF' }
  | { outcome: 'LATE' }
  | { outcome: 'OK'; fencingToken: number; lookInMs: number | null; wakeHistory: boolean; ended: boolean; held: boolean; units: UnitRow[]; moreToDo: boolean; isStale: boolean; hopeless: boolean; closed: boolean; opened: boolean; waiting: number };
/** One call of a program's turn: settles deliveries, files new updates into its lanes, claims what is due. See scripts/claim-for-program.lua. */
async function claimForProgram(redis: RedisCommands, keys: ClaimForProgramKeys, args: ClaimForProgramArgs): Promise<ClaimForProgramReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.history, keys.pendingTurns, keys.consumers, keys.attempts, keys.live, keys.failing, keys.program, keys.deliveredAhead, args.registrationId, args.fencingToken ?? '', args.botId, args.lanePrefix, args.limit, args.trims ? '1' : '0', args.begunAtMost, args.ending ?? '', args.claim, args.tried, args.measured, args.hits, args.activityPrefix, args.shardActivityPrefix, args.readerMinutesPrefix, args.lastError, args.failedForMs ?? '', args.succeeded ? '1' : '0', args.answers, args.kinds, args.takenKinds, args.revision];
  for (const one of args.settled) sent.push(one.lane, one.id, one.members, one.outcome, one.dueInMs ?? '', one.json);
  const reply = await runScript(redis, 'claim-for-program', 14, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', fencingToken: Number(reply[1]), lookInMs: numberOrNull(reply[2]), wakeHistory: reply[3] === 1, ended: reply[4] === 1, held: reply[5] === 1, units: (reply[6] as Value[][]).map(unitRow), moreToDo: reply[7] === 1, isStale: reply[8] === 1, hopeless: reply[9] === 1, closed: reply[10] === 1, opened: reply[11] === 1, waiting: Number(reply[12]) };
    default:
      return { outcome: reply[0] } as ClaimForProgramReply;
  }
}

export type ClaimForPushKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; consumers: string; attempts: string; live: string; failing: string };
export type ClaimForPushArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  /** the attempts that the caller has made since its last call, a line each */
  tried: string;
  /** the same as lib/activity.lua counts them */
  measured: string;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  activityPrefix: string;
  shardActivityPrefix: string;
  /** of the keys of lib/activity.lua */
  readerMinutesPrefix: string;
  /** of the requests that the caller has made since its last call; '' keeps the old one */
  lastError: string;
  /** how long ago the earliest failed request began; absent when none failed */
  failedForMs: number | null;
  /** one of them did */
  succeeded: boolean;
  /** gone: every answer was 410 */
  answers: 'none' | 'gone' | 'other';
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
};
export type ClaimForPushReply =
  | { outcome: 'GONE' }
  | { outcome: 'FENCED' }
  | { outcome: 'OFF' }
  | { outcome: 'LATE' }
  | { outcome: 'OK'; fencingToken: number; lookInMs: number | null; wakeHistory: boolean; ended: boolean; held: boolean; units: UnitRow[]; moreToDo: boolean; isStale: boolean; hopeless: boolean; closed: boolean; opened: boolean; waiting: number };
/** One call of a push turn: settles deliveries, files new updates into lanes, claims what is due. See scripts/claim-for-push.lua. */
async function claimForPush(redis: RedisCommands, keys: ClaimForPushKeys, args: ClaimForPushArgs): Promise<ClaimForPushReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.history, keys.pendingTurns, keys.consumers, keys.attempts, keys.live, keys.failing, args.registrationId, args.fencingToken ?? '', args.botId, args.lanePrefix, args.limit, args.trims ? '1' : '0', args.begunAtMost, args.ending ?? '', args.claim, args.tried, args.measured, args.hits, args.activityPrefix, args.shardActivityPrefix, args.readerMinutesPrefix, args.lastError, args.failedForMs ?? '', args.succeeded ? '1' : '0', args.answers];
  for (const one of args.settled) sent.push(one.lane, one.id, one.members, one.outcome, one.dueInMs ?? '', one.json);
  const reply = await runScript(redis, 'claim-for-push', 12, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', fencingToken: Number(reply[1]), lookInMs: numberOrNull(reply[2]), wakeHistory: reply[3] === 1, ended: reply[4] === 1, held: reply[5] === 1, units: (reply[6] as Value[][]).map(unitRow), moreToDo: reply[7] === 1, isStale: reply[8] === 1, hopeless: reply[9] === 1, closed: reply[10] === 1, opened: reply[11] === 1, waiting: Number(reply[12]) };
    default:
      return { outcome: reply[0] } as ClaimForPushReply;
  }
}

export type ClaimForRulesKeys = { state: string; log: string; lanes: string; inFlight: string; work: string; redriven: string; history: string; pendingTurns: string; consumers: string; attempts: string; live: string; failing: string };
export type ClaimForRulesArgs = {
  registrationId: string;
  /** of the turn; absent: the turn begins */
  fencingToken: number | null;
  botId: number;
  /** of the keys of lanes */
  lanePrefix: string;
  /** how many units to claim */
  limit: number;
  /** the log */
  trims: boolean;
  /** how often handling a unit may begin without ending */
  begunAtMost: number;
  /** idle removes the pending turn when nothing waits, asleep also when all that waits is due later; hold keeps it when nothing waits, and tells the caller so */
  ending: 'idle' | 'asleep' | 'hold' | null;
  /** its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A caller that lost the reply sends it again, and nothing is done twice */
  claim: string;
  /** the attempts that the caller has made since its last call, a line each */
  tried: string;
  /** the same as lib/activity.lua counts them */
  measured: string;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  activityPrefix: string;
  shardActivityPrefix: string;
  /** of the keys of lib/activity.lua */
  readerMinutesPrefix: string;
  /** how long to wait for an album */
  gatherMs: number;
  /** the id up to which the caller matched rules */
  matchedTo: number | null;
  /** how many updates that were */
  matched: number;
  settled: readonly { lane: string; /** of its first update in the lane */ id: string; /** how many updates leave the lane with it */ members: number; outcome: 'delivered' | 'dropped' | 'retry' | 'waits' | 'dead' | 'crashed' | 'returned'; /** for retry, waits and crashed */ dueInMs: number | null; /** of the record for retry, of the failure for dead */ json: string }[];
  filed: readonly { lane: string; /** of an update to route */ id: number; /** '' when it is in none */ album: string }[];
};
export type ClaimForRulesReply =
  | { outcome: 'GONE' }
  | { outcome: 'FENCED' }
  | { outcome: 'OFF' }
  | { outcome: 'LATE' }
  | { outcome: 'OK'; fencingToken: number; lookInMs: number | null; wakeHistory: boolean; ended: boolean; held: boolean; units: UnitRow[]; shownTo: number | null; revision: number; shown: ShownRow[] };
/** One call of a rules turn: settles units, files matched updates into lanes, returns new updates, claims what is due. The members of an album leave their lane together. See scripts/claim-for-rules.lua. */
async function claimForRules(redis: RedisCommands, keys: ClaimForRulesKeys, args: ClaimForRulesArgs): Promise<ClaimForRulesReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.history, keys.pendingTurns, keys.consumers, keys.attempts, keys.live, keys.failing, args.registrationId, args.fencingToken ?? '', args.botId, args.lanePrefix, args.limit, args.trims ? '1' : '0', args.begunAtMost, args.ending ?? '', args.claim, args.tried, args.measured, args.hits, args.activityPrefix, args.shardActivityPrefix, args.readerMinutesPrefix, args.gatherMs, args.matchedTo ?? '', args.matched, args.settled.length];
  for (const one of args.settled) sent.push(one.lane, one.id, one.members, one.outcome, one.dueInMs ?? '', one.json);
  for (const one of args.filed) sent.push(one.lane, one.id, one.album);
  const reply = await runScript(redis, 'claim-for-rules', 12, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', fencingToken: Number(reply[1]), lookInMs: numberOrNull(reply[2]), wakeHistory: reply[3] === 1, ended: reply[4] === 1, held: reply[5] === 1, units: (reply[6] as Value[][]).map(unitRow), shownTo: numberOrNull(reply[7]), revision: Number(reply[8]), shown: (reply[9] as Value[][]).map(shownRow) };
    default:
      return { outcome: reply[0] } as ClaimForRulesReply;
  }
}

export type ClaimIdempotencyKeyKeys = { entries: string; claimed: string; scopes: string };
export type ClaimIdempotencyKeyArgs = {
  /** of the keys of answers of a scope */
  answersPrefix: string;
  digest: string;
  claim: string;
  /** the claim ends unless its process renews it */
  leaseMs: number;
  keptMs: number;
  /** of a bot */
  keysAtMost: number;
  /** a scope may have this many times what is left */
  share: number;
};
export type ClaimIdempotencyKeyReply =
  | { outcome: 'CLAIMED' }
  | { outcome: 'RUNNING'; leaseMs: number }
  | { outcome: 'ENDED'; params: string; answer: string }
  | { outcome: 'UNKNOWN' }
  | { outcome: 'FULL'; retryAfterMs: number };
/** Claims an Idempotency-Key of a bot for a call, or says how the call stands that claimed it first. See scripts/claim-idempotency-key.lua. */
async function claimIdempotencyKey(redis: RedisCommands, keys: ClaimIdempotencyKeyKeys, args: ClaimIdempotencyKeyArgs): Promise<ClaimIdempotencyKeyReply> {
  const sent: (string | number)[] = [keys.entries, keys.claimed, keys.scopes, args.answersPrefix, args.digest, args.claim, args.leaseMs, args.keptMs, args.keysAtMost, args.share];
  const reply = await runScript(redis, 'claim-idempotency-key', 3, sent);
  switch (reply[0]) {
    case 'RUNNING':
      return { outcome: 'RUNNING', leaseMs: Number(reply[1]) };
    case 'ENDED':
      return { outcome: 'ENDED', params: String(reply[1]), answer: String(reply[2]) };
    case 'FULL':
      return { outcome: 'FULL', retryAfterMs: Number(reply[1]) };
    default:
      return { outcome: reply[0] } as ClaimIdempotencyKeyReply;
  }
}

export type CloseBreakerKeys = { state: string; lanes: string };
export type CloseBreakerArgs = {
  registrationId: string;
  botId: number;
};
export type CloseBreakerReply = boolean;
/** Closes a bot's breaker, because another bot has just reached the same backend. See scripts/close-breaker.lua. */
async function closeBreaker(redis: RedisCommands, keys: CloseBreakerKeys, args: CloseBreakerArgs): Promise<CloseBreakerReply> {
  const sent: (string | number)[] = [keys.state, keys.lanes, args.registrationId, args.botId];
  const reply = await runScript(redis, 'close-breaker', 2, sent);
  return (reply as unknown) === 1;
}

export type CountCallKeys = { ofSecond: string; ofMinute: string };
export type CountCallArgs = {
  perSecond: number | null;
  /** at most; absent: any */
  perMinute: number | null;
};
export type CountCallReply =
  | { outcome: 'COUNTED'; ofSecond: number; ofMinute: number; minuteLeftS: number }
  | { outcome: 'OVER'; ofSecond: number; ofMinute: number; minuteLeftS: number; retryAfterS: number };
/** Counts a call against a rate, unless it is over the rate. See scripts/count-call.lua. */
async function countCall(redis: RedisCommands, keys: CountCallKeys, args: CountCallArgs): Promise<CountCallReply> {
  const sent: (string | number)[] = [keys.ofSecond, keys.ofMinute, args.perSecond ?? '', args.perMinute ?? ''];
  const reply = await runScript(redis, 'count-call', 2, sent);
  switch (reply[0]) {
    case 'COUNTED':
      return { outcome: 'COUNTED', ofSecond: Number(reply[1]), ofMinute: Number(reply[2]), minuteLeftS: Number(reply[3]) };
    case 'OVER':
      return { outcome: 'OVER', ofSecond: Number(reply[1]), ofMinute: Number(reply[2]), minuteLeftS: Number(reply[3]), retryAfterS: Number(reply[4]) };
    default:
      return { outcome: reply[0] } as CountCallReply;
  }
}

export type EndFloodKeys = { floods: string; noted: string };
export type EndFloodArgs = {
  /** which calls */
  name: string;
  /** of the last 429 that the caller knows: a newer one goes on */
  number: number;
};
export type EndFloodReply = boolean;
/** Ends a flood, because a call passed that began after its last 429, and tells every process. See scripts/end-flood.lua. */
async function endFlood(redis: RedisCommands, keys: EndFloodKeys, args: EndFloodArgs): Promise<EndFloodReply> {
  const sent: (string | number)[] = [keys.floods, keys.noted, args.name, args.number];
  const reply = await runScript(redis, 'end-flood', 2, sent);
  return (reply as unknown) === 1;
}

export type ForgetBotKeys = { state: string; log: string; consumers: string; deliveredAhead: string; lanes: string; inFlight: string; work: string; redriven: string; attempts: string; pendingTurns: string; rulesLanes: string; rulesInFlight: string; rulesWork: string; rulesRedriven: string; rulesAttempts: string; accepted: string; recent: string; live: string; decisions: string; holds: string; missed: string; heldChats: string; failing: string };
export type ForgetBotArgs = {
  botId: number;
  lanePrefix: string;
  rulesLanePrefix: string;
  /** of the keys of lanes and programs */
  programPrefix: string;
};
export type ForgetBotReply = boolean;
/** Deletes the keys of a bot, except its seen bitmaps and hours of activity, which the caller finds by prefix. See scripts/forget-bot.lua. */
async function forgetBot(redis: RedisCommands, keys: ForgetBotKeys, args: ForgetBotArgs): Promise<ForgetBotReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.deliveredAhead, keys.lanes, keys.inFlight, keys.work, keys.redriven, keys.attempts, keys.pendingTurns, keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven, keys.rulesAttempts, keys.accepted, keys.recent, keys.live, keys.decisions, keys.holds, keys.missed, keys.heldChats, keys.failing, args.botId, args.lanePrefix, args.rulesLanePrefix, args.programPrefix];
  const reply = await runScript(redis, 'forget-bot', 23, sent);
  return (reply as unknown) === 1;
}

export type ForgetConsumerKeys = { state: string; log: string; consumers: string };
export type ForgetConsumerArgs = {
  registrationId: string;
  consumer: string;
};
export type ForgetConsumerReply =
  | { outcome: 'GONE' }
  | { outcome: 'UNKNOWN' }
  | { outcome: 'OK' };
/** Forgets a named consumer: its cursor, and what the log keeps for it alone. See scripts/forget-consumer.lua. */
async function forgetConsumer(redis: RedisCommands, keys: ForgetConsumerKeys, args: ForgetConsumerArgs): Promise<ForgetConsumerReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, args.registrationId, args.consumer];
  const reply = await runScript(redis, 'forget-consumer', 3, sent);
  return { outcome: reply[0] } as ForgetConsumerReply;
}

export type NoteFloodKeys = { floods: string; noted: string; numbers: string };
export type NoteFloodArgs = {
  /** which calls */
  name: string;
  forMs: number;
  /** how many floods are kept; those that end first go */
  most: number;
};
export type NoteFloodReply = number;
/** Remembers that the platform takes no more of some calls for a while, and tells every process. An older wait that ends later stays. See scripts/note-flood.lua. */
async function noteFlood(redis: RedisCommands, keys: NoteFloodKeys, args: NoteFloodArgs): Promise<NoteFloodReply> {
  const sent: (string | number)[] = [keys.floods, keys.noted, keys.numbers, args.name, args.forMs, args.most];
  const reply = await runScript(redis, 'note-flood', 3, sent);
  return Number((reply as unknown));
}

export type HoldChatKeys = { state: string; holds: string; missed: string; heldChats: string };
export type HoldChatArgs = {
  registrationId: string;
  botId: number;
  /** '<chat>', or '<chat>:<business connection>' */
  conversation: string;
  /** for how long; absent: renews a hold, for as long as it was made for */
  forMs: number | null;
  /** who holds it; '' keeps it */
  by: string;
};
export type HoldChatReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'FREE' }
  | { outcome: 'OK'; began: boolean; forMs: number };
/** Holds a conversation: from now on its updates are for people, until the time is over. Held again, its time begins anew. What a hold that ended by itself has kept is kept on. See scripts/hold-chat.lua. */
async function holdChat(redis: RedisCommands, keys: HoldChatKeys, args: HoldChatArgs): Promise<HoldChatReply> {
  const sent: (string | number)[] = [keys.state, keys.holds, keys.missed, keys.heldChats, args.registrationId, args.botId, args.conversation, args.forMs ?? '', args.by];
  const reply = await runScript(redis, 'hold-chat', 4, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', began: reply[1] === 1, forMs: Number(reply[2]) };
    default:
      return { outcome: reply[0] } as HoldChatReply;
  }
}

export type MoveHoldKeys = { state: string; holds: string; missed: string; heldChats: string };
export type MoveHoldArgs = {
  registrationId: string;
  botId: number;
  fromChatId: number;
  toChatId: number;
};
export type MoveHoldReply =
  | { outcome: 'GONE' }
  | { outcome: 'FREE' }
  | { outcome: 'OK' };
/** Lets a hold follow a group that became a supergroup, with what its bot missed. The group only leads on, so the hold follows once, however often the move is told: one that was released does not return. See scripts/move-hold.lua. */
async function moveHold(redis: RedisCommands, keys: MoveHoldKeys, args: MoveHoldArgs): Promise<MoveHoldReply> {
  const sent: (string | number)[] = [keys.state, keys.holds, keys.missed, keys.heldChats, args.registrationId, args.botId, args.fromChatId, args.toChatId];
  const reply = await runScript(redis, 'move-hold', 4, sent);
  return { outcome: reply[0] } as MoveHoldReply;
}

export type NoteReservedKeys = { state: string };
export type NoteReservedArgs = {
  registrationId: string;
  reservedId: number;
};
export type NoteReservedReply = boolean;
/** Stores the highest update id that Postgres has reserved for a bot. See scripts/note-reserved.lua. */
async function noteReserved(redis: RedisCommands, keys: NoteReservedKeys, args: NoteReservedArgs): Promise<NoteReservedReply> {
  const sent: (string | number)[] = [keys.state, args.registrationId, args.reservedId];
  const reply = await runScript(redis, 'note-reserved', 1, sent);
  return (reply as unknown) === 1;
}

export type NoteDecisionKeys = { state: string; decisions: string; live: string; choice: string };
export type NoteDecisionArgs = {
  registrationId: string;
  botId: number;
  /** JSON */
  decision: string;
  kept: number;
  /** how many decisions, and how long after the last one */
  keptMs: number;
  /** JSON, as watchers get it */
  event: string;
  /** JSON of the choice that holds from now on */
  chosen: string | null;
  holdsMs: number;
};
export type NoteDecisionReply = boolean;
/** Keeps what the router decided for a message of a bot, and the bot that it chose for the chat. See scripts/note-decision.lua. */
async function noteDecision(redis: RedisCommands, keys: NoteDecisionKeys, args: NoteDecisionArgs): Promise<NoteDecisionReply> {
  const sent: (string | number)[] = [keys.state, keys.decisions, keys.live, keys.choice, args.registrationId, args.botId, args.decision, args.kept, args.keptMs, args.event, args.chosen ?? '', args.holdsMs];
  const reply = await runScript(redis, 'note-decision', 4, sent);
  return (reply as unknown) === 1;
}

export type NoteRoutedKeys = { state: string; rulesWork: string; history: string; pendingTurns: string };
export type NoteRoutedArgs = {
  registrationId: string;
  fencingToken: number;
  botId: number;
  /** of rules, as lib/rule-hits.lua says; '' for none */
  hits: string;
  /** id in its lane */
  inLane: string;
  /** JSON */
  progress: string;
  records: readonly (string | number)[];
};
export type NoteRoutedReply =
  | { outcome: 'GONE' }
  | { outcome: 'FENCED'; wakeHistory: boolean }
  | { outcome: 'OK'; wakeHistory: boolean };
/** Stores the progress of a unit's routing, and appends links between messages and hits of rules to the history stream. See scripts/note-routed.lua. */
async function noteRouted(redis: RedisCommands, keys: NoteRoutedKeys, args: NoteRoutedArgs): Promise<NoteRoutedReply> {
  const sent: (string | number)[] = [keys.state, keys.rulesWork, keys.history, keys.pendingTurns, args.registrationId, args.fencingToken, args.botId, args.hits, args.inLane, args.progress];
  for (const one of args.records) sent.push(one);
  const reply = await runScript(redis, 'note-routed', 4, sent);
  switch (reply[0]) {
    case 'FENCED':
      return { outcome: 'FENCED', wakeHistory: reply[1] === 1 };
    case 'OK':
      return { outcome: 'OK', wakeHistory: reply[1] === 1 };
    default:
      return { outcome: reply[0] } as NoteRoutedReply;
  }
}

export type ParkProgramKeys = { state: string; log: string; consumers: string; history: string; pendingTurns: string };
export type ParkProgramArgs = {
  registrationId: string;
  botId: number;
  /** of the keys of programs */
  programPrefix: string;
  programId: number;
  /** update id */
  upTo: number;
  /** how many at most in this call */
  limit: number;
  /** that it wants, as in read-page */
  kinds: string;
  /** in words */
  reason: string;
};
export type ParkProgramReply =
  | { outcome: 'GONE' }
  | { outcome: 'OK'; deadLetters: number; more: boolean; wakeHistory: boolean };
/** Parks a program that stays behind its limit: what waits for it becomes dead letters, a batch a call. See scripts/park-program.lua. */
async function parkProgram(redis: RedisCommands, keys: ParkProgramKeys, args: ParkProgramArgs): Promise<ParkProgramReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.history, keys.pendingTurns, args.registrationId, args.botId, args.programPrefix, args.programId, args.upTo, args.limit, args.kinds, args.reason];
  const reply = await runScript(redis, 'park-program', 5, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', deadLetters: Number(reply[1]), more: reply[2] === 1, wakeHistory: reply[3] === 1 };
    default:
      return { outcome: reply[0] } as ParkProgramReply;
  }
}

export type PatchBotStateKeys = { state: string };
export type PatchBotStateArgs = {
  registrationId: string;
  changes: readonly { field: string; value: string | number }[];
  times: readonly string[];
};
export type PatchBotStateReply = boolean;
/** Sets fields of a bot's state, if it is of the same registration. See scripts/patch-bot-state.lua. */
async function patchBotState(redis: RedisCommands, keys: PatchBotStateKeys, args: PatchBotStateArgs): Promise<PatchBotStateReply> {
  const sent: (string | number)[] = [keys.state, args.registrationId, args.changes.length];
  for (const one of args.changes) sent.push(one.field, one.value);
  for (const one of args.times) sent.push(one);
  const reply = await runScript(redis, 'patch-bot-state', 1, sent);
  return (reply as unknown) === 1;
}

export type ReadFloodsKeys = { floods: string; noted: string; numbers: string };
export type ReadFloodsArgs = {
  /** how many */
  most: number;
};
export type ReadFloodsReply =
  | { outcome: 'OK'; newest: number; floods: FloodRow[] };
/** Reads the floods that are not over, those that end first. See scripts/read-floods.lua. */
async function readFloods(redis: RedisCommands, keys: ReadFloodsKeys, args: ReadFloodsArgs): Promise<ReadFloodsReply> {
  const sent: (string | number)[] = [keys.floods, keys.noted, keys.numbers, args.most];
  const reply = await runScript(redis, 'read-floods', 3, sent);
  return { outcome: 'OK', newest: Number(reply[1]), floods: (reply[2] as Value[][]).map(floodRow) };
}

export type ReadPageKeys = { state: string; log: string; consumers: string; deliveredAhead: string; program: string | null };
export type ReadPageArgs = {
  registrationId: string;
  activityPrefix: string;
  /** of the keys of lib/activity.lua */
  shardActivityPrefix: string;
  /** '' is the default one */
  consumer: string;
  /** digits: whose share of the named consumers a new one takes */
  owner: string;
  askedOffset: number;
  limit: number;
  timeoutMs: number;
  /** on the first read of a call */
  acknowledges: boolean;
  /** for the platform's 3 s wait of repeated empty calls */
  throttles: boolean;
  /** that this reader wants: ',message,poll,', '' for all, '!,poll,' for all but these. The cursor moves by offsets; it also passes what has expired and what another program took, that of a program also what it does not want */
  kinds: string;
  /** that the answer has already from scans before this one */
  answerBytes: number;
  backFrom: string;
  /** for a negative offset: where to go on counting back ('+' at first), the id counted last */
  backCounted: number | null;
  /** of the configuration that names the program */
  revision: number;
  /** a named consumer asks for what is held, too */
  seesHeld: boolean;
  /** who polls, for people */
  polledBy: string;
  /** as kinds, for what the program took alone under earlier kinds */
  takenKinds: string;
};
export type ReadPageReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'TOO_MANY' }
  | { outcome: 'CHANGED' }
  | { outcome: 'BACK'; offset: number; backFrom: string; backCounted: number | null }
  | { outcome: 'OK'; from: number; throttled: boolean; more: boolean; updates: number; joined: Buffer; appendedAgoMs: number; answerBytes: number };
/** Reads a consumer's updates and acknowledges as getUpdates does (offsets: last+1…last+11, larger, negative, zero). See scripts/read-page.lua. */
async function readPage(redis: RedisCommands, keys: ReadPageKeys, args: ReadPageArgs): Promise<ReadPageReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.deliveredAhead];
  if (keys.program !== null) sent.push(keys.program);
  const keyCount = sent.length;
  sent.push(args.registrationId, args.activityPrefix, args.shardActivityPrefix, args.consumer, args.owner, args.askedOffset, args.limit, args.timeoutMs, args.acknowledges ? '1' : '0', args.throttles ? '1' : '0', args.kinds, args.answerBytes, args.backFrom, args.backCounted ?? '', args.revision, args.seesHeld ? '1' : '0', args.polledBy, args.takenKinds);
  const reply = await runScriptRaw(redis, 'read-page', keyCount, sent);
  switch (String(reply[0])) {
    case 'BACK':
      return { outcome: 'BACK', offset: Number(reply[1]), backFrom: String(reply[2]), backCounted: numberOrNull(reply[3]) };
    case 'OK':
      return { outcome: 'OK', from: Number(reply[1]), throttled: reply[2] === 1, more: reply[3] === 1, updates: Number(reply[4]), joined: reply[5] as Buffer, appendedAgoMs: Number(reply[6]), answerBytes: Number(reply[7]) };
    default:
      return { outcome: String(reply[0]) } as ReadPageReply;
  }
}

export type ReadPendingTurnsKeys = { pendingTurns: string };
export type ReadPendingTurnsArgs = {
  /** that long */
  forMs: number;
};
export type ReadPendingTurnsReply =
  | { outcome: 'OK'; held: string[]; late: string[] };
/** Reads which turns of a shard are held, and which have been pending for longer than a wake takes. See scripts/read-pending-turns.lua. */
async function readPendingTurns(redis: RedisCommands, keys: ReadPendingTurnsKeys, args: ReadPendingTurnsArgs): Promise<ReadPendingTurnsReply> {
  const sent: (string | number)[] = [keys.pendingTurns, args.forMs];
  const reply = await runScript(redis, 'read-pending-turns', 1, sent);
  return { outcome: 'OK', held: (reply[1] as Value[]).map(String), late: (reply[2] as Value[]).map(String) };
}

export type ReadProgramAttentionKeys = { state: string };
export type ReadProgramAttentionArgs = {
  /** as <bot id>:<program id>:<ms without a poll after which it is silent, 0 is never>:<kinds, as in read-page, or d for the default set>, separated by spaces */
  programs: string;
  /** the default set, as in read-page */
  defaultKinds: string;
};
export type ReadProgramAttentionReply = string;
/** Reads what is wrong with programs of bots of a shard. See scripts/read-program-attention.lua. */
async function readProgramAttention(redis: RedisCommands, keys: ReadProgramAttentionKeys, args: ReadProgramAttentionArgs): Promise<ReadProgramAttentionReply> {
  const sent: (string | number)[] = [keys.state, args.programs, args.defaultKinds];
  const reply = await runScript(redis, 'read-program-attention', 1, sent);
  return String((reply as unknown));
}

export type ReadReadersKeys = { state: string; log: string; consumers: string; lanes: string; inFlight: string; rulesLanes: string; rulesInFlight: string };
export type ReadReadersArgs = {
  registrationId: string;
  lanePrefix: string;
  rulesLanePrefix: string;
  /** of the keys of lanes and programs */
  programPrefix: string;
};
export type ReadReadersReply =
  | { outcome: 'GONE' }
  | { outcome: 'OK'; nowMs: number; bot: BotRow; readers: ReaderRow[] };
/** Reads how far every reader of a bot's log is, all at one moment. See scripts/read-readers.lua. */
async function readReaders(redis: RedisCommands, keys: ReadReadersKeys, args: ReadReadersArgs): Promise<ReadReadersReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.consumers, keys.lanes, keys.inFlight, keys.rulesLanes, keys.rulesInFlight, args.registrationId, args.lanePrefix, args.rulesLanePrefix, args.programPrefix];
  const reply = await runScript(redis, 'read-readers', 7, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', nowMs: Number(reply[1]), bot: botRow(reply[2] as Value[]), readers: (reply[3] as Value[][]).map(readerRow) };
    default:
      return { outcome: reply[0] } as ReadReadersReply;
  }
}

export type ReadStatesKeys = { state: string };
export type ReadStatesArgs = {
  /** their stored names, separated by spaces */
  fields: string;
  /** their ids, separated by spaces */
  bots: string;
};
export type ReadStatesReply = string;
/** Reads fields of the states of many bots of a shard: far less work than a command for each bot. See scripts/read-states.lua. */
async function readStates(redis: RedisCommands, keys: ReadStatesKeys, args: ReadStatesArgs): Promise<ReadStatesReply> {
  const sent: (string | number)[] = [keys.state, args.fields, args.bots];
  const reply = await runScript(redis, 'read-states', 1, sent);
  return String((reply as unknown));
}

export type RedriveKeys = { state: string; lanes: string; redriven: string; pendingTurns: string; rulesWork: string; justRedriven: string; log: string; consumers: string; history: string; accepted: string; program: string | null };
export type RedriveArgs = {
  registrationId: string;
  botId: number;
  lanePrefix: string;
  /** how long the updates are kept */
  keepMs: number;
  /** 'push', 'rules' or 'program:<id>' */
  reader: string;
  /** how long the ids of redriven letters are remembered, so that a repeated call skips them */
  knownForMs: number;
  /** how many updates may wait for a reader that polls */
  limit: number;
  /** the highest reserved update id; absent when the caller did not ask Postgres */
  reservedId: number | null;
  letters: readonly { letterId: number; /** of the dead letter, and of its update */ id: number; kind: string; lane: string; raw: string; /** of its routing (JSON), '' for none */ progress: string; /** '' for none */ album: string; /** its program took it alone */ exclusive: boolean; idStart: number | null; /** offset of the first and of the last digit of update_id in raw, from 1 */ idEnd: number | null }[];
};
export type RedriveReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'FULL' }
  | { outcome: 'DOUBT' }
  | { outcome: 'LANES' }
  | { outcome: 'LOG'; lastId: number; reserveIds: boolean; wakePush: boolean; wakeRules: boolean };
/** Gives dead letters back to the reader that they name, in the order given: to one with lanes at the end of their lanes, to one that polls at the end of the log, under new ids. One that was given back already is skipped. See scripts/redrive.lua. */
async function redrive(redis: RedisCommands, keys: RedriveKeys, args: RedriveArgs): Promise<RedriveReply> {
  const sent: (string | number)[] = [keys.state, keys.lanes, keys.redriven, keys.pendingTurns, keys.rulesWork, keys.justRedriven, keys.log, keys.consumers, keys.history, keys.accepted];
  if (keys.program !== null) sent.push(keys.program);
  const keyCount = sent.length;
  sent.push(args.registrationId, args.botId, args.lanePrefix, args.keepMs, args.reader, args.knownForMs, args.limit, args.reservedId ?? '');
  for (const one of args.letters) sent.push(one.letterId, one.id, one.kind, one.lane, one.raw, one.progress, one.album, one.exclusive ? '1' : '0', one.idStart ?? '', one.idEnd ?? '');
  const reply = await runScript(redis, 'redrive', keyCount, sent);
  switch (reply[0]) {
    case 'LOG':
      return { outcome: 'LOG', lastId: Number(reply[1]), reserveIds: reply[2] === 1, wakePush: reply[3] === 1, wakeRules: reply[4] === 1 };
    default:
      return { outcome: reply[0] } as RedriveReply;
  }
}

export type ReleaseChatKeys = { state: string; log: string; holds: string; missed: string; heldChats: string; consumers: string; history: string; pendingTurns: string; accepted: string };
export type ReleaseChatArgs = {
  registrationId: string;
  botId: number;
  /** '<chat>', or '<chat>:<business connection>' */
  conversation: string;
  delivers: boolean;
  /** how many updates one call looks at */
  limit: number;
  /** the highest reserved update id; absent when the caller did not ask Postgres */
  reservedId: number | null;
  /** of the filters by which the updates were matched */
  filtersDigest: string;
  /** their marks, as in accept-updates, without albums; '' for none */
  marksJson: string;
  updates: readonly { /** as an earlier call returned them */ member: string }[];
};
export type ReleaseChatReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'FREE' }
  | { outcome: 'DOUBT' }
  | { outcome: 'FILTERS'; digest: string; filters: string }
  | { outcome: 'MORE'; members: string[]; lastId: number; reserveIds: boolean; wakePush: boolean; wakeHistory: boolean; wakePrograms: number[]; delivered: number }
  | { outcome: 'OK'; lastId: number; reserveIds: boolean; wakePush: boolean; wakeHistory: boolean; wakePrograms: number[]; delivered: number };
/** Ends the hold of a conversation, or what is left of one that ended by itself. To deliver what was held, it is called again and again: each call appends some updates to the log, under new ids, and the last one ends the hold. Meanwhile what comes in is held, too, so the order stays. See scripts/release-chat.lua. */
async function releaseChat(redis: RedisCommands, keys: ReleaseChatKeys, args: ReleaseChatArgs): Promise<ReleaseChatReply> {
  const sent: (string | number)[] = [keys.state, keys.log, keys.holds, keys.missed, keys.heldChats, keys.consumers, keys.history, keys.pendingTurns, keys.accepted, args.registrationId, args.botId, args.conversation, args.delivers ? '1' : '0', args.limit, args.reservedId ?? '', args.filtersDigest, args.marksJson];
  for (const one of args.updates) sent.push(one.member);
  const reply = await runScript(redis, 'release-chat', 9, sent);
  switch (reply[0]) {
    case 'FILTERS':
      return { outcome: 'FILTERS', digest: String(reply[1]), filters: String(reply[2]) };
    case 'MORE':
      return { outcome: 'MORE', members: (reply[1] as Value[]).map(String), lastId: Number(reply[2]), reserveIds: reply[3] === 1, wakePush: reply[4] === 1, wakeHistory: reply[5] === 1, wakePrograms: (reply[6] as Value[]).map(Number), delivered: Number(reply[7]) };
    case 'OK':
      return { outcome: 'OK', lastId: Number(reply[1]), reserveIds: reply[2] === 1, wakePush: reply[3] === 1, wakeHistory: reply[4] === 1, wakePrograms: (reply[5] as Value[]).map(Number), delivered: Number(reply[6]) };
    default:
      return { outcome: reply[0] } as ReleaseChatReply;
  }
}

export type RenewPendingTurnKeys = { pendingTurns: string };
export type RenewPendingTurnArgs = {
  turn: string;
};
export type RenewPendingTurnReply = boolean;
/** Says that a pending turn is served now, so that upkeep does not take its wake for lost. See scripts/renew-pending-turn.lua. */
async function renewPendingTurn(redis: RedisCommands, keys: RenewPendingTurnKeys, args: RenewPendingTurnArgs): Promise<RenewPendingTurnReply> {
  const sent: (string | number)[] = [keys.pendingTurns, args.turn];
  const reply = await runScript(redis, 'renew-pending-turn', 1, sent);
  return (reply as unknown) === 1;
}

export type ReplayUpdateKeys = { state: string; holds: string; lanes: string; redriven: string; work: string; pendingTurns: string; readerState: string };
export type ReplayUpdateArgs = {
  registrationId: string;
  botId: number;
  lanePrefix: string;
  /** absent for the bot's own backend */
  programId: number | null;
  /** '<chat>', or '<chat>:<business connection>', whose hold keeps it back; absent: none does */
  conversation: string | null;
  /** its name in the lane, which begins with 'rc' */
  copyId: string;
  id: number;
  kind: string;
  lane: string;
  /** of the update */
  raw: string;
  /** later it leaves the lane without an attempt */
  beginsWithinMs: number;
};
export type ReplayUpdateReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'HELD' }
  | { outcome: 'WAITS' }
  | { outcome: 'BEHIND' }
  | { outcome: 'OK' };
/** Puts a copy of an update at the end of the lane of its chat, for one attempt. See scripts/replay-update.lua. */
async function replayUpdate(redis: RedisCommands, keys: ReplayUpdateKeys, args: ReplayUpdateArgs): Promise<ReplayUpdateReply> {
  const sent: (string | number)[] = [keys.state, keys.holds, keys.lanes, keys.redriven, keys.work, keys.pendingTurns, keys.readerState, args.registrationId, args.botId, args.lanePrefix, args.programId ?? '', args.conversation ?? '', args.copyId, args.id, args.kind, args.lane, args.raw, args.beginsWithinMs];
  const reply = await runScript(redis, 'replay-update', 7, sent);
  return { outcome: reply[0] } as ReplayUpdateReply;
}

export type ResealConfigKeys = { bots: string };
export type ResealConfigArgs = {
  botId: number;
  known: string;
  /** the value that was read, and the new one of the same revision */
  sealed: string;
};
export type ResealConfigReply = boolean;
/** Replaces one bot's sealed configuration by the same one, sealed again. Nothing changes in it, so no process is told. See scripts/reseal-config.lua. */
async function resealConfig(redis: RedisCommands, keys: ResealConfigKeys, args: ResealConfigArgs): Promise<ResealConfigReply> {
  const sent: (string | number)[] = [keys.bots, args.botId, args.known, args.sealed];
  const reply = await runScript(redis, 'reseal-config', 1, sent);
  return (reply as unknown) === 1;
}

export type NoteSendsKeys = { bot: string };
export type NoteSendsArgs = {
  /** of the keys of chats, before the id */
  chatPrefix: string;
  windowMs: number;
  /** for how long it matters */
  chatWindowMs: number;
  kept: number;
  /** times that are kept */
  keptOfChat: number;
  sends: readonly { chatId: number; messages: number; /** how many of the messages are not yet among those of the bot */ ofBot: number }[];
};
export type NoteSendsReply = boolean;
/** Notes what a bot sent without a reserved time, so that those who reserve times wait for it. See scripts/note-sends.lua. */
async function noteSends(redis: RedisCommands, keys: NoteSendsKeys, args: NoteSendsArgs): Promise<NoteSendsReply> {
  const sent: (string | number)[] = [keys.bot, args.chatPrefix, args.windowMs, args.chatWindowMs, args.kept, args.keptOfChat];
  for (const one of args.sends) sent.push(one.chatId, one.messages, one.ofBot);
  const reply = await runScript(redis, 'note-sends', 1, sent);
  return (reply as unknown) === 1;
}

export type ReserveSendTimeKeys = { times: string };
export type ReserveSendTimeArgs = {
  /** how many messages */
  count: number;
  /** least distance to the one before */
  spacingMs: number;
  most: number;
  /** most messages in that time */
  windowMs: number;
  /** times that are kept, for others who allow more in that time */
  kept: number;
  /** a time reserved before, which is kept */
  reservedMs: number | null;
};
export type ReserveSendTimeReply =
  | { outcome: 'OK'; atMs: number; waitMs: number };
/** Reserves the next time at which so many messages may be sent; first come, first served. All times are of the server's clock: with different clocks, a caller would wait until the time of another. See scripts/reserve-send-time.lua. */
async function reserveSendTime(redis: RedisCommands, keys: ReserveSendTimeKeys, args: ReserveSendTimeArgs): Promise<ReserveSendTimeReply> {
  const sent: (string | number)[] = [keys.times, args.count, args.spacingMs, args.most, args.windowMs, args.kept, args.reservedMs ?? ''];
  const reply = await runScript(redis, 'reserve-send-time', 1, sent);
  return { outcome: 'OK', atMs: Number(reply[1]), waitMs: Number(reply[2]) };
}

export type ReserveProgramTimeKeys = { bot: string; outboxWaits: string };
export type ReserveProgramTimeArgs = {
  most: number;
  /** most messages in that time */
  windowMs: number;
  /** the same for the outbox */
  mostOfOutbox: number;
  /** how soon */
  horizonMs: number;
  /** times that are kept, for others who allow more in that time */
  kept: number;
};
export type ReserveProgramTimeReply =
  | { outcome: 'OK'; reserved: boolean; waitMs: number };
/** Reserves a time of the bot for a message of a program, unless there is none soon. Programs have no order of importance, and may send more than the outbox: while that waits, they send no more than it may, so that both get times. See scripts/reserve-program-time.lua. */
async function reserveProgramTime(redis: RedisCommands, keys: ReserveProgramTimeKeys, args: ReserveProgramTimeArgs): Promise<ReserveProgramTimeReply> {
  const sent: (string | number)[] = [keys.bot, keys.outboxWaits, args.most, args.windowMs, args.mostOfOutbox, args.horizonMs, args.kept];
  const reply = await runScript(redis, 'reserve-program-time', 2, sent);
  return { outcome: 'OK', reserved: reply[1] === 1, waitMs: Number(reply[2]) };
}

export type ReserveSendsKeys = { bot: string; outboxWaits: string };
export type ReserveSendsArgs = {
  /** of the keys of chats, before the id */
  chatPrefix: string;
  horizonMs: number;
  /** how soon; for bulk less, so that what is more urgent need not wait for it */
  bulkHorizonMs: number;
  spacingMs: number;
  most: number;
  /** of the bot: least distance, most messages in that time */
  windowMs: number;
  /** the same for bulk, which leaves the rest to the others */
  bulkMost: number;
  chatSpacingMs: number;
  groupMost: number;
  groupWindowMs: number;
  /** for how long that is known */
  waitsMs: number;
  kept: number;
  /** times that are kept, for others who allow more in that time */
  keptOfChat: number;
  sends: readonly { chatId: number; messages: number; bulk: boolean }[];
};
export type ReserveSendsReply =
  | { outcome: 'OK'; rows: GrantedRow[] };
/** Reserves times for sends of one bot, in the order of the list, as far as they may go out soon. What cannot go out so soon reserves nothing: another send may have its time. See scripts/reserve-sends.lua. */
async function reserveSends(redis: RedisCommands, keys: ReserveSendsKeys, args: ReserveSendsArgs): Promise<ReserveSendsReply> {
  const sent: (string | number)[] = [keys.bot, keys.outboxWaits, args.chatPrefix, args.horizonMs, args.bulkHorizonMs, args.spacingMs, args.most, args.windowMs, args.bulkMost, args.chatSpacingMs, args.groupMost, args.groupWindowMs, args.waitsMs, args.kept, args.keptOfChat];
  for (const one of args.sends) sent.push(one.chatId, one.messages, one.bulk ? '1' : '0');
  const reply = await runScript(redis, 'reserve-sends', 2, sent);
  return { outcome: 'OK', rows: (reply[1] as Value[][]).map(grantedRow) };
}

export type ResumeBackendKeys = { state: string; lanes: string; pendingTurns: string; readerState: string };
export type ResumeBackendArgs = {
  registrationId: string;
  botId: number;
  /** absent for the bot's own backend */
  programId: number | null;
};
export type ResumeBackendReply =
  | { outcome: 'GONE' }
  | { outcome: 'OFF' }
  | { outcome: 'OK' };
/** Makes everything that waits for the backend of a bot, or of one of its programs, due now. While the breaker is open, only one probe is due; if it fails, the probe intervals start again from the shortest. See scripts/resume-backend.lua. */
async function resumeBackend(redis: RedisCommands, keys: ResumeBackendKeys, args: ResumeBackendArgs): Promise<ResumeBackendReply> {
  const sent: (string | number)[] = [keys.state, keys.lanes, keys.pendingTurns, keys.readerState, args.registrationId, args.botId, args.programId ?? ''];
  const reply = await runScript(redis, 'resume-backend', 4, sent);
  return { outcome: reply[0] } as ResumeBackendReply;
}

export type SettleIdempotencyKeyKeys = { entries: string; claimed: string; scopes: string };
export type SettleIdempotencyKeyArgs = {
  answersPrefix: string;
  botId: number;
  digest: string;
  claim: string;
  outcome: 'running' | 'ended' | 'unknown' | 'free';
  params: string;
  /** of one that ended; '' for an answer that is not kept */
  answer: string;
  leaseMs: number;
  keptMs: number;
  /** of all answers of a bot */
  bytesAtMost: number;
};
export type SettleIdempotencyKeyReply = boolean;
/** Says how the call of a claim stands: it runs on, it ended, nobody knows how it ended, or it was not sent. See scripts/settle-idempotency-key.lua. */
async function settleIdempotencyKey(redis: RedisCommands, keys: SettleIdempotencyKeyKeys, args: SettleIdempotencyKeyArgs): Promise<SettleIdempotencyKeyReply> {
  const sent: (string | number)[] = [keys.entries, keys.claimed, keys.scopes, args.answersPrefix, args.botId, args.digest, args.claim, args.outcome, args.params, args.answer, args.leaseMs, args.keptMs, args.bytesAtMost];
  const reply = await runScript(redis, 'settle-idempotency-key', 3, sent);
  return (reply as unknown) === 1;
}

export type TakeModelCallKeys = { calls: string };
export type TakeModelCallArgs = {
  who: string;
  /** each has a share */
  writer: string | null;
  /** calls of all */
  atMost: number;
  /** this many times what is left */
  share: number;
  keptMs: number;
};
export type TakeModelCallReply =
  | { outcome: 'TAKEN' }
  | { outcome: 'NONE_LEFT' }
  | { outcome: 'OWN_USED' };
/** Counts a call to the model of the router, unless the calls of the day, or the share of who asks, are used up. See scripts/take-model-call.lua. */
async function takeModelCall(redis: RedisCommands, keys: TakeModelCallKeys, args: TakeModelCallArgs): Promise<TakeModelCallReply> {
  const sent: (string | number)[] = [keys.calls, args.who, args.writer ?? '', args.atMost, args.share, args.keptMs];
  const reply = await runScript(redis, 'take-model-call', 1, sent);
  return { outcome: reply[0] } as TakeModelCallReply;
}

export type TellWatchersKeys = { state: string; live: string };
export type TellWatchersArgs = {
  registrationId: string;
  botId: number;
  /** of the event */
  kind: string;
  /** JSON, as watchers get it */
  event: string;
};
export type TellWatchersReply = boolean;
/** Tells whoever watches a bot what happened to it, beside updates, calls and attempts. See scripts/tell-watchers.lua. */
async function tellWatchers(redis: RedisCommands, keys: TellWatchersKeys, args: TellWatchersArgs): Promise<TellWatchersReply> {
  const sent: (string | number)[] = [keys.state, keys.live, args.registrationId, args.botId, args.kind, args.event];
  const reply = await runScript(redis, 'tell-watchers', 2, sent);
  return (reply as unknown) === 1;
}

export type WatchBotKeys = { state: string; live: string };
export type WatchBotArgs = {
  registrationId: string;
  /** how long the bot counts as watched */
  forMs: number;
  /** how old entries may become */
  keptMs: number;
  /** time to live of the stream */
  lifeMs: number;
};
export type WatchBotReply =
  | { outcome: 'GONE' }
  | { outcome: 'OK'; newest: string };
/** Says that somebody watches a bot for the next seconds, so that its live stream is written. The stream has no holes: if nobody watched for a while, it begins anew. See scripts/watch-bot.lua. */
async function watchBot(redis: RedisCommands, keys: WatchBotKeys, args: WatchBotArgs): Promise<WatchBotReply> {
  const sent: (string | number)[] = [keys.state, keys.live, args.registrationId, args.forMs, args.keptMs, args.lifeMs];
  const reply = await runScript(redis, 'watch-bot', 2, sent);
  switch (reply[0]) {
    case 'OK':
      return { outcome: 'OK', newest: String(reply[1]) };
    default:
      return { outcome: reply[0] } as WatchBotReply;
  }
}

export type WriteConfigKeys = { bots: string; changes: string; version: string };
export type WriteConfigArgs = {
  botId: number;
  /** absent when the bot was deleted */
  revision: number | null;
  /** JSON */
  sealed: string;
};
export type WriteConfigReply = boolean;
/** Publishes one bot's sealed configuration, or its deletion, to every process. Raises only a version that exists: after Redis came back empty, reconcileBots creates it once all bots are there. See scripts/write-config.lua. */
async function writeConfig(redis: RedisCommands, keys: WriteConfigKeys, args: WriteConfigArgs): Promise<WriteConfigReply> {
  const sent: (string | number)[] = [keys.bots, keys.changes, keys.version, args.botId, args.revision ?? '', args.sealed];
  const reply = await runScript(redis, 'write-config', 3, sent);
  return (reply as unknown) === 1;
}

/** One function a script. Each rejects when Redis does not answer. */
export const scripts = {
  acceptUpdates,
  actOnRetrying,
  appendCalls,
  applyBot,
  beginPolling,
  checkPrograms,
  claimForProgram,
  claimForPush,
  claimForRules,
  claimIdempotencyKey,
  closeBreaker,
  countCall,
  endFlood,
  forgetBot,
  forgetConsumer,
  noteFlood,
  holdChat,
  moveHold,
  noteReserved,
  noteDecision,
  noteRouted,
  parkProgram,
  patchBotState,
  readFloods,
  readPage,
  readPendingTurns,
  readProgramAttention,
  readReaders,
  readStates,
  redrive,
  releaseChat,
  renewPendingTurn,
  replayUpdate,
  resealConfig,
  noteSends,
  reserveSendTime,
  reserveProgramTime,
  reserveSends,
  resumeBackend,
  settleIdempotencyKey,
  takeModelCall,
  tellWatchers,
  watchBot,
  writeConfig,
};
