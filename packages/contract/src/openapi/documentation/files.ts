import { downloadFile } from '../../operations/files.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';

export const filesDocumentation = [
  documentOperation(downloadFile, {
    description:
      'Pictures, sound and video come with their own type and are shown in place; everything else is an attachment. A ' +
      '`Range` of bytes is answered with 206, one outside of the file with 416. The platform gives files of up to 20 MB. ' +
      'As with proxied files no browser runs what is in them: `Content-Security-Policy: sandbox`, `nosniff`.',
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, file_id: 'AgACAgIAAxkBAAIBmWfPhoto' }, output: 'the bytes' },
  }),
];
