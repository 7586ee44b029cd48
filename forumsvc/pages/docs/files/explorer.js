'use strict'

const container = document.getElementById('explorer')
const { description, clientId, redirectUri } = container.dataset

// swagger-ui's style sheet has a class for dark mode, but no media query. The reader's choice is first.
const dark = matchMedia('(prefers-color-scheme: dark)')
const { classList, dataset } = document.documentElement
const isDark = () => (dataset.theme ? dataset.theme === 'dark' : dark.matches)
const applyColorScheme = () => classList.toggle('dark-mode', isDark())
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

// What swagger-ui leaves without a name, out of reach of the keyboard, or at a wrong level.
const mend = () => {
  const set = (selector, name, value) => {
    for (const one of container.querySelectorAll(`:is(${selector}):not([${name}])`)) {
      one.setAttribute(name, typeof value === 'function' ? value(one) : value)
    }
  }
  set('.information-container, .schemes-server-container', 'role', 'region')
  set('.information-container', 'aria-label', 'About the API')
  set('.schemes-server-container', 'aria-label', 'Server and log-in')
  set('.dialog-ux', 'role', 'dialog')
  set('.dialog-ux', 'aria-label', 'Log in')
  set('#servers', 'aria-label', 'Server')
  set('[data-param-name] :is(select, input, textarea)', 'aria-label', (field) =>
    field.closest('[data-param-name]').dataset.paramName)
  set('.body-param__text', 'aria-label', 'Request body')
  set('.content-type', 'aria-label', 'Media type')
  set('.examples-select-element', 'aria-label', 'Example')
  set('.close-modal', 'aria-label', 'Close')
  set('pre.microlight', 'tabindex', '0')
  set('.responses-table[role=region]', 'aria-label', ({ id }) => id)
  set('h3', 'aria-level', '2')
  set('h4', 'aria-level', '3')
  set('h5', 'aria-level', '4')
}
new MutationObserver(mend).observe(container, { childList: true, subtree: true })

explorer.initOAuth({
  clientId,
  scopes: 'read write',
  usePkceWithAuthorizationCodeGrant: true,
})
