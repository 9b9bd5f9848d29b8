/* global SwaggerUIBundle */

const answer = await fetch('/openapi.json');
const spec = await answer.json();

for (const operations of Object.values(spec.paths)) {
  for (const operation of Object.values(operations)) {
    if (operation.requestBody) offerOneForm(operation);
    else for (const parameter of operation.parameters ?? []) leaveEmpty(parameter);
  }
}
offerOneCredential();
// One origin only: the page's own.
delete spec.servers;
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

/** A POST takes its fields in three ways; three forms for the same would only puzzle whoever fills them in. */
function offerOneForm(operation) {
  operation.parameters = operation.parameters?.filter((parameter) => parameter.in !== 'query');
  const { content } = operation.requestBody;
  operation.requestBody.content = { 'application/json': content['application/json'] };
}

/** An example in a field that may stay empty would be sent unnoticed. */
function leaveEmpty(parameter) {
  if (parameter.required || parameter.example === undefined) return;
  parameter.description = `${parameter.description ?? ''} For example \`${parameter.example}\`.`.trim();
  delete parameter.example;
}

/** The cookie cannot be typed in: the browser keeps and sends it by itself. */
function offerOneCredential() {
  const { securitySchemes } = spec.components;
  delete securitySchemes.session;
  securitySchemes.bearer.description +=
    ' Without one, sign in with `POST /api/auth/login`: the browser keeps the cookie.';
  for (const operations of Object.values(spec.paths)) {
    for (const operation of Object.values(operations)) {
      operation.security = operation.security.filter((scheme) => !('session' in scheme));
    }
  }
}
