// Runs every flow with oauth4webapi, which takes nothing that the RFCs do not allow.
//
// On standard input: one line of JSON, {issuer, clients: {confidential, public, robot}, username,
// password, redirect_uri}; then, for each line {"visit": address} that is printed, the address at
// which the person's browser left the forum. The last line printed is {"done": [names of flows]}.

import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import * as oauth from 'oauth4webapi'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const read = async () => (await lines.next()).value
const say = (message) => console.log(JSON.stringify(message))
const given = JSON.parse(await read())
const plainHttp = { [oauth.allowInsecureRequests]: true }

const issuer = new URL(given.issuer)
const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plainHttp }),
)

const known = ({ client_id }) => ({ client_id })
const basic = ({ client_secret }) => oauth.ClientSecretBasic(client_secret)
const post = ({ client_secret }) => oauth.ClientSecretPost(client_secret)
const none = () => oauth.None()

async function hello(token) {
  const address = new URL('/api/v3/hello', issuer)
  const answer = await oauth.protectedResourceRequest(
    token, 'GET', address, undefined, undefined, plainHttp,
  )
  return (await answer.json()).current_user
}

async function dies(token) {
  await assert.rejects(hello(token), (error) => {
    assert(error instanceof oauth.WWWAuthenticateChallengeError, String(error))
    assert.equal(error.status, 401)
    assert.equal(error.cause[0].scheme, 'bearer')
    assert.equal(error.cause[0].parameters.error, 'invalid_token')
    return true
  })
}

async function refuses(promise, code) {
  await assert.rejects(promise, (error) => {
    assert(error instanceof oauth.ResponseBodyError, String(error))
    assert.equal(error.error, code)
    return true
  })
}

async function password(credentials, authenticate, secret = given.password) {
  const client = known(credentials)
  const answer = await oauth.genericTokenEndpointRequest(
    server, client, authenticate(credentials), 'password',
    { username: given.username, password: secret, scope: 'read write' }, plainHttp,
  )
  return await oauth.processGenericTokenEndpointResponse(server, client, answer)
}

async function refresh(credentials, authenticate, token) {
  const client = known(credentials)
  const answer = await oauth.refreshTokenGrantRequest(
    server, client, authenticate(credentials), token, plainHttp,
  )
  return await oauth.processRefreshTokenResponse(server, client, answer)
}

async function introspect(credentials, authenticate, token) {
  const client = known(credentials)
  const answer = await oauth.introspectionRequest(
    server, client, authenticate(credentials), token, plainHttp,
  )
  return await oauth.processIntrospectionResponse(server, client, answer)
}

async function revoke(credentials, authenticate, token) {
  const answer = await oauth.revocationRequest(
    server, known(credentials), authenticate(credentials), token, plainHttp,
  )
  await oauth.processRevocationResponse(answer)
}

async function visit(credentials, challenge, state, more = {}) {
  const address = new URL(server.authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: credentials.client_id,
    redirect_uri: given.redirect_uri,
    scope: 'read',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  say({ visit: address.href })
  return new URL(await read())
}

async function authorize(credentials, authenticate) {
  const client = known(credentials)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const back = await visit(credentials, await oauth.calculatePKCECodeChallenge(verifier), state)
  const parameters = oauth.validateAuthResponse(server, client, back, state)
  const exchange = async (proof) => {
    const answer = await oauth.authorizationCodeGrantRequest(
      server, client, authenticate(credentials), parameters, given.redirect_uri, proof, plainHttp,
    )
    return await oauth.processAuthorizationCodeResponse(server, client, answer)
  }
  await refuses(exchange(oauth.generateRandomCodeVerifier()), 'invalid_grant')
  const tokens = await exchange(verifier)
  assert.equal(tokens.scope, 'read')
  assert.equal(await hello(tokens.access_token), given.shown)
  await refuses(exchange(verifier), 'invalid_grant')
  await dies(tokens.access_token)
}

async function lifeOfAToken(credentials, authenticate) {
  const first = await password(credentials, authenticate)
  assert.equal(await hello(first.access_token), given.shown)
  const second = await refresh(credentials, authenticate, first.refresh_token)
  assert.equal(await hello(second.access_token), given.shown)
  if (credentials.client_secret) {
    const result = await introspect(credentials, authenticate, second.access_token)
    assert.equal(result.active, true)
    assert.equal(result.username, given.shown)
  }
  await revoke(credentials, authenticate, second.refresh_token)
  await dies(first.access_token)
  await dies(second.access_token)
}

const { confidential, public: open, robot } = given.clients
const flows = {
  async metadata() {
    assert.equal(server.authorization_response_iss_parameter_supported, true)
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
  },
  'password, refresh, introspection, revocation; Basic': () => lifeOfAToken(confidential, basic),
  'password, refresh, introspection, revocation; body': () => lifeOfAToken(confidential, post),
  'password, refresh, revocation; public': () => lifeOfAToken(open, none),
  async 'wrong password, wrong secret'() {
    await refuses(password(confidential, basic, 'wrong'), 'invalid_grant')
    const stranger = { ...confidential, client_secret: 'wrong' }
    await assert.rejects(password(stranger, basic), (error) => {
      assert.equal(error.status, 401)
      assert.equal(error.cause[0].scheme, 'basic')
      return true
    })
  },
  async 'client credentials'() {
    const client = known(robot)
    const answer = await oauth.clientCredentialsGrantRequest(
      server, client, basic(robot), new URLSearchParams({ scope: 'read' }), plainHttp,
    )
    const tokens = await oauth.processClientCredentialsResponse(server, client, answer)
    assert.equal(tokens.scope, 'read')
    assert.equal(tokens.refresh_token, undefined)
  },
  'authorization code; confidential': () => authorize(confidential, basic),
  'authorization code; public': () => authorize(open, none),
  async 'authorization refused to the client'() {
    const state = oauth.generateRandomState()
    const challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier())
    const back = await visit(open, challenge, state, { scope: 'admin' })
    assert.throws(() => oauth.validateAuthResponse(server, known(open), back, state), (error) => {
      assert(error instanceof oauth.AuthorizationResponseError, String(error))
      assert.equal(error.error, 'invalid_scope')
      return true
    })
  },
}

const selected = given.flows ?? Object.keys(flows)
for (const name of selected) {
  try {
    await flows[name]()
  } catch (error) {
    console.error(`The flow "${name}" failed:`, error)
    process.exit(1)
  }
}
say({ done: selected })
process.exit(0)
