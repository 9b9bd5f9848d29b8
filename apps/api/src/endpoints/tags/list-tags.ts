import { listTags } from '@flotilla/contract/operations/tags.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { pageOfTags } from './page-of-tags.ts';

export const listTagsEndpoint = defineListEndpoint(listTags, (context, { input, caller }) =>
  pageOfTags(context, caller, input),
);
