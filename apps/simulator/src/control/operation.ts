import { z } from 'zod';
import type { Simulator } from '../simulator.ts';

/** One operation of the control API. `input` validates the body and is also the schema that `GET /control/` shows. */
export type Operation<Input extends z.ZodObject = z.ZodObject, Result = unknown> = {
  does: string;
  input: Input;
  example: z.input<Input>;
  run(sim: Simulator, input: z.output<Input>): Result;
};

export function operation<Input extends z.ZodObject, Result>(
  does: string,
  { input, example }: { input: Input; example: z.input<Input> },
  run: (sim: Simulator, input: z.output<Input>) => Result,
): Operation<Input, Result> {
  return { does, input, example, run };
}

export type ShownField = z.core.JSONSchema.BaseSchema & { required: boolean };
export type ShownOperation = { does: string; fields: Record<string, ShownField>; example: unknown };

/** An operation as `GET /control/` shows it: the JSON Schema of each field, and if the field is required. */
export function showOperation({ does, input, example }: Operation): ShownOperation {
  const schema = z.toJSONSchema(input, { io: 'input', override: ({ jsonSchema }) => dropSafeBounds(jsonSchema) });
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    { ...(field as object), required: schema.required?.includes(name) ?? false },
  ]);
  return { does, fields: Object.fromEntries(fields), example };
}

/** Every integer has the bounds of a safe integer, so they tell the reader nothing. */
function dropSafeBounds(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
