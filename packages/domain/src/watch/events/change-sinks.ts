import { eventSink } from '@flotilla/contract/event-sinks.ts';
import { type Additions, type Changes, settable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';
import { typedUrlFault } from '../../fleet/bots/check-changes.ts';
import { maskedBackendUrl } from '../../fleet/bots/masked-backend-url.ts';
import { newSigning } from '../../fleet/bots/signing.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeChanges, describeNew } from '../../people/audit/describe-changes.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import type { EventSink, SinkContent } from './event-sink.ts';
import { sinkStore } from './sink-store.ts';
import { tellReceiver } from './tell-receiver.ts';

export type SinkDeps = {
  db: Database;
  secrets: SecretBox;
  clock: Clock;
  backendPolicy: BackendPolicy;
  publicUrl: string | null;
};

/** The secret that signs the requests to a URL is shown once: when it is made. */
type SinkWithSecret = { sink: EventSink; signing_secret: string | null };

const SINKS_AT_MOST = 50;

/** Returns the sink with the secret that signs its requests, or null where it is a chat. Throws 'bad_request'. */
export async function addSink(
  deps: SinkDeps,
  by: Actor,
  { url, bot_id, chat_id, ...fields }: Additions<typeof eventSink>,
): Promise<SinkWithSecret> {
  const content = { ...fields, target: targetOf(deps, { url, bot_id, chat_id }, null) };
  refuseAuditInChat(content);
  const signing = newSigning();
  const sink = await deps.db.transaction().execute(async (db) => {
    const sinks = sinkStore(db, deps.secrets);
    if ((await sinks.countLocked()) >= SINKS_AT_MOST) {
      throw new FlotillaError('bad_request', `There can be ${SINKS_AT_MOST} event sinks`);
    }
    const added = await sinks.insert(content, signing);
    await recordAction({ ...deps, db }, by, audited('sink_add', added, describeNew(fieldsOf(added))));
    return added;
  });
  return { sink, signing_secret: sink.target.kind === 'url' ? signing.secret : null };
}

/**
 * Returns the sink with a new secret where a chat became a URL, else with null. `check` refuses what the change would meet.
 * Throws 'not_found' or 'bad_request'.
 */
export async function updateSink(
  deps: SinkDeps,
  by: Actor,
  id: number,
  wanted: Changes<typeof eventSink>,
  check?: (before: EventSink) => void,
): Promise<SinkWithSecret> {
  return deps.db.transaction().execute(async (db) => {
    const sinks = sinkStore(db, deps.secrets);
    const before = found(await sinks.lock(id));
    check?.(before);
    const content = { ...before, ...settable(eventSink, wanted), target: targetOf(deps, wanted, before) };
    refuseAuditInChat(content);
    // Nobody was shown the secret of a sink that writes into a chat.
    const signing = before.target.kind === 'chat' && content.target.kind === 'url' ? newSigning() : null;
    const after = await sinks.update(id, content, signing);
    const changes = describeChanges(fieldsOf(before), fieldsOf(after));
    const entry = await recordAction({ ...deps, db }, by, audited('sink_update', after, changes));
    if (entry !== null) await tellReceiver({ ...deps, db }, before, after, entry);
    return { sink: after, signing_secret: signing?.secret ?? null };
  });
}

/** Lets a sink follow its group to the supergroup that it is now, unless it was changed meanwhile. */
export async function moveSink(
  deps: Pick<SinkDeps, 'db' | 'secrets' | 'clock'>,
  { id, target: sentTo }: EventSink,
  toChatId: number,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const sinks = sinkStore(db, deps.secrets);
    const before = await sinks.lock(id);
    if (before?.target.kind !== 'chat' || sentTo.kind !== 'chat') return;
    const { bot_id, chat_id } = before.target;
    if (bot_id !== sentTo.bot_id || chat_id !== sentTo.chat_id) return;
    const after = await sinks.update(id, { ...before, target: { kind: 'chat', bot_id, chat_id: toChatId } }, null);
    const changes = describeChanges(fieldsOf(before), fieldsOf(after));
    await recordAction({ ...deps, db }, BY_PLATFORM, audited('sink_update', after, `the group moved; ${changes}`));
  });
}

/** The platform said that the group moved. */
const BY_PLATFORM: Actor = { kind: 'bot', address: null };

/** Throws 'not_found'. */
export async function deleteSink(
  deps: SinkDeps,
  by: Actor,
  id: number,
  check?: (before: EventSink) => void,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const sinks = sinkStore(db, deps.secrets);
    const sink = found(await sinks.lock(id));
    check?.(sink);
    await sinks.remove(id);
    const entry = await recordAction({ ...deps, db }, by, audited('sink_delete', sink, ''));
    if (entry !== null) await tellReceiver({ ...deps, db }, sink, null, entry);
  });
}

/** Throws 'not_found'. */
export async function findSink({ db, secrets }: Pick<SinkDeps, 'db' | 'secrets'>, id: number): Promise<EventSink> {
  return found(await sinkStore(db, secrets).find(id));
}

function found(sink: EventSink | null): EventSink {
  if (sink === null) throw new FlotillaError('not_found', 'Event sink not found');
  return sink;
}

/** Entries have addresses of people in them, and are for programs. */
function refuseAuditInChat({ audit, target }: SinkContent): void {
  if (audit && target.kind === 'chat')
    throw refusedInput('audit', 'needs a url: a chat gets no entries of the audit log');
}

type Place = Pick<Changes<typeof eventSink>, 'url' | 'bot_id' | 'chat_id'>;

function targetOf(deps: SinkDeps, { url, bot_id, chat_id }: Place, known: EventSink | null): SinkContent['target'] {
  if (url !== undefined && (bot_id !== undefined || chat_id !== undefined)) {
    throw refusedInput('url', 'is given beside a bot and a chat: events go to one of them');
  }
  if (url !== undefined) {
    if (known?.target.kind === 'url' && url === maskedUrl(known.target.url)) return known.target;
    const fault = url === '' ? 'must not be empty' : typedUrlFault(deps, url);
    if (fault !== null) throw refusedInput('url', fault);
    return { kind: 'url', url };
  }
  const chat = known?.target.kind === 'chat' ? known.target : null;
  if (known !== null && bot_id === undefined && chat_id === undefined) return known.target;
  const [bot, id] = [bot_id ?? chat?.bot_id, chat_id ?? chat?.chat_id];
  if (bot === undefined) throw refusedInput('bot_id', 'is required, with chat_id, where there is no url');
  if (id === undefined) throw refusedInput('chat_id', 'is required, with bot_id, where there is no url');
  return { kind: 'chat', bot_id: bot, chat_id: id };
}

function maskedUrl(url: string): string {
  return maskedBackendUrl({ backend_url: url, secret_token: '' });
}

function audited(action: 'sink_add' | 'sink_update' | 'sink_delete', { id, name }: EventSink, details: string) {
  return { action, details: [`sink ${id}`, `name: ${JSON.stringify(name)}`, details].filter(Boolean).join('; ') };
}

/** Where it sends, as the answer has it. */
export function placeOf({ target }: Pick<EventSink, 'target'>) {
  if (target.kind === 'url') return { url: maskedUrl(target.url), bot_id: undefined, chat_id: undefined };
  return { ...target, url: undefined };
}

function fieldsOf(sink: EventSink) {
  return settable(eventSink, { ...sink, ...placeOf(sink) });
}
