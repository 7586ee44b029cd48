// Verifies the webhook on standard input, as {"secret", "headers", "body"}, with the reference library.
import { readFileSync } from 'node:fs'
import standardwebhooks from 'standardwebhooks'

const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(new standardwebhooks.Webhook(secret).verify(body, headers)))
