import { readReplicas } from '@flotilla/domain/watch/fleet-figures/replicas.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const ROLES = ['polling', 'push', 'rules', 'outbox', 'history', 'upkeep'];

/** Checks that every kind of work has a process, and that all are of one release. */
export async function checkProcesses(deps: DiagnosisDeps): Promise<Finding[]> {
  const replicas = await readReplicas(deps);
  const apis = replicas.filter(({ kind }) => kind === 'api').length;
  const workers = replicas.length - apis;
  const roles = new Set(replicas.flatMap((replica) => replica.roles));
  const missing = ROLES.filter((role) => !roles.has(role));
  const findings: Finding[] = [];
  if (apis === 0) findings.push(fail('processes', 'no api runs', 'start one; see its log'));
  if (missing.length > 0) {
    findings.push(
      fail('processes', `no worker has the roles ${missing.join(', ')}`, 'start one with these WORKER_ROLES'),
    );
  }
  if (findings.length === 0) findings.push(ok('processes', `${apis} api and ${workers} worker run, with every role`));
  const releases = Map.groupBy(replicas, ({ version }) => version);
  if (releases.size > 1) {
    const listed = [...releases].map(
      ([version, some]) => `${version} (${some.map(({ kind, host }) => `${kind} ${host}`).join(', ')})`,
    );
    findings.push(
      warn('releases', `several run side by side: ${listed.join('; ')}`, 'end the upgrade: replace the old processes'),
    );
  } else if (releases.size === 1) {
    const [version] = releases.keys();
    const own = version === VERSION ? '' : `; this command is of ${VERSION}`;
    findings.push(ok('releases', `all are of ${version}${own}`));
  }
  return findings;
}
