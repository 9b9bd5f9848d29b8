import { ERROR_STATUS } from '@flotilla/contract/errors.ts';
import { documentation } from '@flotilla/contract/openapi/documentation.ts';
import { type OpenApiDocument, openApiDocument } from '@flotilla/contract/openapi/openapi-document.ts';
import { endpoints } from '../endpoints/endpoints.ts';

/** The OpenAPI document of all that the api serves. */
export function apiDocument(): OpenApiDocument {
  const operations = endpoints.map(({ operation }) => operation);
  return openApiDocument({ operations, documentation, statusOf: ERROR_STATUS });
}
