import type { WorkerContext } from './context.ts';
import { type Running, startRoles } from './roles.ts';

/** The roles of this worker. In quarantine none of them runs. */
export function rolesOutsideQuarantine(context: WorkerContext): Running {
  const { installation, log } = context;
  let roles: Running[] = [];
  let runs = false;
  let stopped = false;
  let changing: Promise<void> = Promise.resolve();
  const stopRoles = async () => {
    runs = false;
    await Promise.all(roles.splice(0).map((role) => role.stop()));
  };
  const change = async () => {
    const isWanted = !stopped && installation.quarantine() === null;
    if (isWanted === runs) return;
    if (!isWanted) return stopRoles();
    runs = true;
    roles = startRoles(context);
  };
  const changeSoon = () => {
    changing = changing.then(change).catch((error: unknown) => {
      log.error({ err: error }, 'the roles could not be started or stopped');
    });
    return changing;
  };
  if (installation.quarantine() === null) {
    roles = startRoles(context);
    runs = true;
  }
  installation.onChange(changeSoon);
  return {
    stop: () => {
      stopped = true;
      return changeSoon();
    },
    refusal: () => roles.map((role) => role.refusal?.() ?? null).find((refusal) => refusal !== null) ?? null,
  };
}
