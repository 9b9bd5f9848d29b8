import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { describeInputs } from './describe-inputs.ts';
import type { Documentation } from './document-operation.ts';
import { errorCodesOf } from './error-codes.ts';
import { errorResponses } from './error-responses.ts';
import { headerRefs } from './headers.ts';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';
import { tagOf } from './tags.ts';

export interface Components {
  writer: SchemaWriter;
  responses: Record<string, JsonSchema>;
  statusOf: Readonly<Record<ErrorCode, number>>;
}

/** The document's entry of one operation; its shared parts go into the components. */
export function describeOperation(
  operation: Operation,
  documentation: Documentation | undefined,
  { writer, responses, statusOf }: Components,
): JsonSchema {
  const codes = errorCodesOf(operation, documentation?.errors);
  return {
    operationId: operation.name,
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: descriptionOf(operation, documentation),
    'x-role': operation.role,
    security: operation.role === 'public' ? [] : [{ bearer: [] }, { session: [] }],
    ...describeInputs(operation, writer, documentation?.example.input),
    responses: {
      '200': success(operation, documentation, writer),
      ...errorResponses(codes, statusOf, responses),
    },
  };
}

const WHO = {
  public: 'Needs no credential.',
  any: 'Open to the roles admin and user.',
  admin: '**Admin only.**',
} as const;

function descriptionOf(operation: Operation, documentation: Documentation | undefined): string {
  const { role, wholeFleet, lasting, botInputs = [], paths, audit = [] } = operation;
  const [, ...others] = paths;
  const bots = wholeFleet === true ? ' Not for a key that is limited to some bots.' : '';
  const ends = lasting === true ? ' Nor for one that expires.' : '';
  const sentences = [
    ...(documentation?.description === undefined ? [] : [documentation.description]),
    role === 'any' && botInputs.length > 0 ? `${WHO.any} A user must have the bot.` : `${WHO[role]}${bots}${ends}`,
    ...(audit.length === 0 ? [] : [`Leaves an audit entry: ${audit.map((action) => `\`${action}\``).join(' or ')}.`]),
    ...(others.length === 0 ? [] : [`Also at ${others.map((path) => `\`${path}\``).join(', ')}.`]),
  ];
  return sentences.join('\n\n');
}

function success(operation: Operation, documentation: Documentation | undefined, writer: SchemaWriter): JsonSchema {
  const { output, input, mediaTypes = ['application/json'] } = operation;
  const isList = output instanceof z.ZodArray && 'before' in input.shape;
  const headers = ['X-Request-Id', ...(isList ? ['X-Total-Count', 'Link'] : [])];
  if (operation.name === 'login') headers.push('Set-Cookie');
  const schema = writer.write(output, 'output');
  const body = (type: string) => {
    if (documentation === undefined) return { schema };
    return { schema, example: documentation.otherForms?.[type] ?? documentation.example.output };
  };
  return {
    description: isList ? 'One page of the list.' : 'Done.',
    headers: headerRefs(headers),
    content: Object.fromEntries(mediaTypes.map((type) => [type, body(type)])),
  };
}
