'use strict'

const container = document.getElementById('explorer')
const { description, clientId, redirectUri } = container.dataset

// swagger-ui's style sheet has a class for dark mode, but no media query.
const dark = matchMedia('(prefers-color-scheme: dark)')
const applyColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyColorScheme)
applyColorScheme()

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object ?? {}).map(([key, value]) => [key, change(value)]))

// Only required parameters keep their example: swagger-ui prefills the form with the examples, and
// all of them together would request the third page of one node.
const adaptParameter = ({ example, ...rest }) => (rest.required ? { example, ...rest } : rest)

// Parameters and headers of every operation are for programs; here they would hide the others.
const common = /\/(RequestId|IfNoneMatch|RateLimit|RateLimitPolicy)$/
const adaptParameters = (parameters) =>
  (parameters ?? []).filter((parameter) => !common.test(parameter.$ref)).map(adaptParameter)
const adaptResponse = ({ headers, ...rest }) => {
  const own = Object.entries(headers ?? {}).filter(([, header]) => !common.test(header.$ref))
  return own.length ? { ...rest, headers: Object.fromEntries(own) } : rest
}

// The description lists every way to send a token. The explorer uses one, so that the dialog has one
// choice. Once there is a token, operations that need none are called with it, too.
const adaptOperation = ({ security, parameters, responses, ...rest }) => {
  const scopes = security.find((requirement) => 'OAuth' in requirement)
  return {
    ...rest,
    parameters: adaptParameters(parameters),
    responses: mapValues(responses, adaptResponse),
    security: scopes ? [{ OAuth: scopes.OAuth }] : [],
  }
}

const adaptPath = ({ parameters, ...methods }) => ({
  parameters: adaptParameters(parameters),
  ...mapValues(methods, adaptOperation),
})

const adaptDescription = ({ components, paths, ...rest }) => {
  const { OAuth } = components.securitySchemes
  const { authorizationCode } = OAuth.flows
  return {
    ...rest,
    paths: mapValues(paths, adaptPath),
    components: {
      ...components,
      parameters: mapValues(components.parameters, adaptParameter),
      responses: mapValues(components.responses, adaptResponse),
      securitySchemes: { OAuth: { ...OAuth, flows: { authorizationCode } } },
    },
  }
}

const adaptPlugin = () => ({
  statePlugins: {
    spec: { wrapActions: { updateJsonSpec: (update) => (spec) => update(adaptDescription(spec)) } },
  },
})

const explorer = SwaggerUIBundle({
  domNode: container,
  url: description,
  oauth2RedirectUrl: redirectUri,
  plugins: [adaptPlugin],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // By default swagger-ui sends the description to a validator on another site.
  validatorUrl: null,
})

explorer.initOAuth({
  clientId,
  scopes: 'read write',
  usePkceWithAuthorizationCodeGrant: true,
})
