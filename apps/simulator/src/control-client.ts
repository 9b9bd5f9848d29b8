import type { z } from 'zod';
import type { Operations } from './control/operations.ts';

type Input<Name extends keyof Operations> = z.input<Operations[Name]['input']>;
type Result<Name extends keyof Operations> = Promise<Awaited<ReturnType<Operations[Name]['run']>>>;

/** The control API as functions; their types derive from the simulator's own table of operations. */
export type ControlClient = {
  [Name in keyof Operations]: (
    ...input: Record<never, never> extends Input<Name> ? [Input<Name>?] : [Input<Name>]
  ) => Result<Name>;
};

/** The control API refused a call; `reason` says why. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  readonly reason: string;

  constructor(operation: string, reason: string) {
    super(`simulator ${operation}: ${reason}`);
    this.reason = reason;
  }
}

/** A client for the control API of the simulator at `url`; it throws a ControlRefusal for what is refused. */
export function controlClient(url: string): ControlClient {
  const call = async (name: string, input: object): Promise<unknown> => {
    const response = await fetch(`${url}/control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const result = (await response.json()) as { error?: string };
    if (!response.ok) throw new ControlRefusal(name, result.error ?? `status ${response.status}`);
    return result;
  };
  // The client imports the operations as types only and does not load the simulator; so a Proxy makes the functions.
  return new Proxy({} as ControlClient, {
    get: (_, name) => (typeof name === 'string' && name !== 'then' ? (input = {}) => call(name, input) : undefined),
  });
}
