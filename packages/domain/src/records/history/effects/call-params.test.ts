import { expect, test } from '@jest/globals';
import { readIdsParam, readReplyParam } from './call-params.ts';

test('an object without a text of its own is no id', () => {
  expect(readIdsParam({ message_ids: '[1,{"toString":null},"2"]' }, 'message_ids')).toEqual([1, 2]);
  expect(readReplyParam({ chat_id: '1', reply_parameters: '{"message_id":{"toString":null}}' })).toBeNull();
});
