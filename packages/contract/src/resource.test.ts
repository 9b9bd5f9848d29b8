import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { answerOf, defineResource, type Row, settable, storable } from './resource.ts';

const parcel = defineResource('Parcel', {
  id: { stored: filled(column.bigint), shown: z.int() },
  door_code: { stored: column.text(), input: z.string(), initial: '0000' },
  labels: {
    stored: orNull(column.jsonb<string[]>()),
    shown: z.array(z.string()).nullable(),
    input: z.array(z.string()).optional(),
  },
  packed_at: { stored: column.timestamptz, shown: z.iso.datetime() },
  sent_at: { stored: orNull(column.timestamptz), shown: z.iso.datetime().optional(), filter: z.int().optional() },
  sender: { shown: z.string().optional() },
});
const row: Row<typeof parcel> = { id: 3, door_code: '1234', labels: null, packed_at: new Date(0), sent_at: null };

describe('An answer', () => {
  test('has what is shown, times as ISO 8601, and no field without a value, unless null is a value of it', () => {
    const answer = answerOf(parcel, { ...row, sender: undefined });
    expect(answer).toEqual({ id: 3, labels: null, packed_at: '1970-01-01T00:00:00.000Z' });
    expect(Object.keys(answer)).toEqual(['id', 'labels', 'packed_at']);
    expect(parcel.answer.parse(answer)).toEqual(answer);
  });

  test('has its fields in the order of the declaration', () => {
    const answer = answerOf(parcel, { sender: 'Ada', ...row, sent_at: new Date(0) });
    expect(Object.keys(answer)).toEqual(['id', 'labels', 'packed_at', 'sent_at', 'sender']);
  });
});

test('Values are stored with JSON as text, without those that have no column', () => {
  const values = { door_code: '1234', labels: ['fragile'], sender: 'Ada' };
  expect(storable(parcel, values)).toEqual({ door_code: '1234', labels: '["fragile"]' });
  expect(storable(parcel, { labels: null })).toEqual({ labels: null });
});

test('Filters are the fields that have one', () => {
  expect(Object.keys(parcel.filters)).toEqual(['sent_at']);
});

describe('Inputs', () => {
  test('of a new one have initial values, and those of a change have none', () => {
    expect(z.object(parcel.addInputs).parse({})).toEqual({ door_code: '0000' });
    expect(z.object(parcel.changeInputs).parse({})).toEqual({});
  });

  test('tell what a caller sets', () => {
    expect(settable(parcel, { ...row, door_code: undefined })).toEqual({ labels: null });
  });
});
