import { listTagsOfUser } from '@flotilla/contract/operations/tags.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { pageOfTags } from './page-of-tags.ts';

export const listTagsOfUserEndpoint = defineListEndpoint(listTagsOfUser, (context, { input, caller }) =>
  pageOfTags(context, caller, input),
);
