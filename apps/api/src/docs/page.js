/* global SwaggerUIBundle */

const answer = await fetch('/openapi.json');
const spec = await answer.json();

// A POST's fields may come in the query string, too; two forms for the same would only puzzle whoever fills them in.
for (const operations of Object.values(spec.paths)) {
  for (const operation of Object.values(operations)) {
    if (operation.requestBody) operation.parameters = [];
  }
}
spec.info.description += '\n\nThis page is made from [/openapi.json](/openapi.json).';

SwaggerUIBundle({
  spec,
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // Nothing of what is typed here leaves for another site.
  validatorUrl: null,
});
