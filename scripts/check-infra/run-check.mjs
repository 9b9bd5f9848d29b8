/**
 * Each check returns its faults and reports what it skipped because a tool is missing. Imported on demand, because the
 * tools are large.
 */
const CHECKS = {
  compose: async () => (await import('./compose.mjs')).checkCompose,
  kubernetes: async () => (await import('./kubernetes.mjs')).checkKubernetes,
  nginx: async () => (await import('./nginx.mjs')).checkNginx,
  dockerfile: async () => (await import('./dockerfile.mjs')).checkDockerfile,
  pins: async () => (await import('./pins.mjs')).checkPins,
  workflows: async () => (await import('./workflows.mjs')).checkWorkflows,
  shell: async () => (await import('./shell.mjs')).checkShell,
  deploy: async () => (await import('./deploy.mjs')).checkDeploy,
  watch: async () => (await import('./watch.mjs')).checkWatch,
};

export const CHECK_NAMES = Object.keys(CHECKS);

/** Runs one check on the files below `root`; a check that crashes has that as its fault. */
export async function runCheck(name, root) {
  const leftOut = [];
  if (!Object.hasOwn(CHECKS, name))
    return { faults: [`there is no such check; there are ${CHECK_NAMES.join(', ')}`], leftOut };
  try {
    const check = await CHECKS[name]();
    return { faults: await check(root, (reason) => leftOut.push(reason)), leftOut };
  } catch (error) {
    return { faults: [error.stack ?? String(error)], leftOut };
  }
}
