import type { z } from 'zod';
import type { Operations } from './control/operations.ts';

type Input<Name extends keyof Operations> = z.input<Operations[Name]['input']>;
type Result<Name extends keyof Operations> = Promise<Awaited<ReturnType<Operations[Name]['run']>>>;

/** The control API as functions, typed after the simulator's own table of operations. */
export type ControlClient = {
  [Name in keyof Operations]: (
    ...input: Record<never, never> extends Input<Name> ? [Input<Name>?] : [Input<Name>]
  ) => Result<Name>;
};

/** Speaks to the control API of the simulator at `url`; a refusal becomes an Error with its words. */
export function controlClient(url: string): ControlClient {
  const call = async (name: string, input: object): Promise<unknown> => {
    const response = await fetch(`${url}/control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const result = (await response.json()) as { error?: string };
    if (!response.ok) throw new Error(`simulator ${name}: ${result.error}`);
    return result;
  };
  // The operations exist only as types here, so that clients do not load the simulator; hence a Proxy.
  return new Proxy({} as ControlClient, {
    get: (_, name) => (typeof name === 'string' && name !== 'then' ? (input = {}) => call(name, input) : undefined),
  });
}
