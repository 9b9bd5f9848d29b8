import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
/** Short, so that a process that has used its slice waits for milliseconds and not for a tenth of a second. */
const PERIOD_US = 20_000;

/** Holds each process to a slice of a core by a control group of its own. Linux only, as root. */
export type CpuSlices = {
  /** Gives a process this share of one core at most, instead of what it had. */
  limit(pid: number, cores: number): void;
  /** Lifts all limits. */
  release(): void;
};

/** Throws where control groups cannot be written. */
export function cpuSlices(): CpuSlices {
  const isUnified = existsSync(join(ROOT, 'cgroup.controllers'));
  const parent = isUnified ? ROOT : join(ROOT, 'cpu');
  if (isUnified) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu');
  const made: string[] = [];
  return {
    limit: (pid, cores) => {
      const group = join(parent, `flotilla-bench-${pid}`);
      if (!existsSync(group)) {
        mkdirSync(group);
        made.push(group);
      }
      const quotaUs = Math.round(cores * PERIOD_US);
      if (isUnified) {
        writeFileSync(join(group, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
      } else {
        writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
        writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
      }
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
    },
    release: () => {
      for (const group of made.splice(0)) removeGroup(parent, group);
    },
  };
}

/** A group can be removed when its processes are in another one. */
function removeGroup(parent: string, group: string): void {
  for (const pid of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) {
    try {
      writeFileSync(join(parent, 'cgroup.procs'), pid);
    } catch {
      // The process has just ended.
    }
  }
  if (readdirSync(group).length > 0) rmdirSync(group);
}
