'use strict'

const place = document.getElementById('explorer')
const { description, clientId, redirectUri } = place.dataset

// swagger-ui's style sheet is dark by a class alone.
const dark = matchMedia('(prefers-color-scheme: dark)')
const dim = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', dim)
dim()

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object ?? {}).map(([key, value]) => [key, change(value)]))

// A form that begins with the example of every parameter would ask for the third page of one node.
const parameter = ({ example, ...told }) => (told.required ? { example, ...told } : told)

// What every call takes and every answer brings is for programs: it would hide the rest.
const everywhere = /\/(RequestId|IfNoneMatch|RateLimit|RateLimitPolicy)$/
const asked = (parameters) =>
  (parameters ?? []).filter((one) => !everywhere.test(one.$ref)).map(parameter)
const answered = ({ headers, ...told }) => {
  const own = Object.entries(headers ?? {}).filter(([, header]) => !everywhere.test(header.$ref))
  return own.length ? { ...told, headers: Object.fromEntries(own) } : told
}

// The description names every way to bring a token. Here there is one, so that the dialog asks one
// question; what needs no token is called with it all the same, once there is one.
const operation = ({ security, parameters, responses, ...told }) => {
  const scopes = security.find((one) => 'OAuth' in one)
  return {
    ...told,
    parameters: asked(parameters),
    responses: mapped(responses, answered),
    security: scopes ? [{ OAuth: scopes.OAuth }] : [],
  }
}

const item = ({ parameters, ...methods }) => ({
  parameters: asked(parameters),
  ...mapped(methods, operation),
})

const adapted = ({ components, paths, ...rest }) => {
  const { OAuth } = components.securitySchemes
  const { authorizationCode } = OAuth.flows
  return {
    ...rest,
    paths: mapped(paths, item),
    components: {
      ...components,
      parameters: mapped(components.parameters, parameter),
      responses: mapped(components.responses, answered),
      securitySchemes: { OAuth: { ...OAuth, flows: { authorizationCode } } },
    },
  }
}

const adapting = () => ({
  statePlugins: {
    spec: { wrapActions: { updateJsonSpec: (update) => (spec) => update(adapted(spec)) } },
  },
})

const explorer = SwaggerUIBundle({
  domNode: place,
  url: description,
  oauth2RedirectUrl: redirectUri,
  plugins: [adapting],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // swagger-ui would ask a validator elsewhere what it thinks of the description.
  validatorUrl: null,
})

explorer.initOAuth({
  clientId,
  scopes: 'read write',
  usePkceWithAuthorizationCodeGrant: true,
})
