/**
 * Finds the id of the poll in the text of a message's details, which begin with the topic and the poll. The operators of JSON
 * would refuse texts with halves of characters, which details may have.
 */
export const POLL_ID_PATTERN = '^\\{(?:"thread_id":\\d{1,15},)?"poll":\\{"id":"(-?\\d{1,20})"';
