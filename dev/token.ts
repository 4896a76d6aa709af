import { parseArgs } from 'node:util'
import { readEnvFile } from '../src/env-file.js'
import { type Persona, type PersonaName, personas } from './personas.js'
import { foreignKey, setting, signToken } from './sign.js'

const help = `Prints a bearer token for a service that runs here.

  npm run -s token -- [options]

  --as NAME        start from ${Object.keys(personas).join(', ')}: the callers that npm run dev prints
  --sub ID         user id (default: demo-user)
  --email ADDRESS  admin of the legal area when it is on ADMIN_EMAILS (npm run dev: ${personas.admin.email})
  --name "A B"     first and last name
  --roles A,B      roles; "admin" administers signals
  --startup ID     the caller's startup, such as ${personas.startup.startup}
  --expires TIME   how long it is valid: 90s, 15m, 12h, 30d (default: 1h)
  --help           this text

It is signed with JWT_SECRET (environment or .env), or else with the secret of npm run dev.
JWT_ISSUER, JWT_AUDIENCE, JWT_ROLES_CLAIM and JWT_STARTUP_CLAIM are heeded.

  curl -H "Authorization: Bearer $(npm run -s token -- --as admin)" http://127.0.0.1:3000/legal/admin/documents
`

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 }

try {
  await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\nnpm run -s token -- --help tells more.`)
  process.exitCode = 1
}

async function main (): Promise<void> {
  const { values } = parseArgs({
    options: {
      as: { type: 'string' },
      sub: { type: 'string' },
      email: { type: 'string' },
      name: { type: 'string' },
      roles: { type: 'string' },
      startup: { type: 'string' },
      expires: { type: 'string', default: '1h' },
      help: { type: 'boolean', short: 'h' }
    }
  })
  if (values.help === true) {
    process.stdout.write(help)
    return
  }
  readEnvFile()
  const foreign = foreignKey()
  if (foreign !== undefined && setting(process.env, 'JWT_SECRET') === undefined) {
    throw new Error(`${foreign} is set, so only the identity provider signs tokens that the service accepts`)
  }
  const persona: Partial<Persona> = values.as === undefined ? {} : findPersona(values.as)
  const [firstName, ...rest] = values.name?.trim().split(/\s+/) ?? []
  console.log(await signToken({
    sub: values.sub ?? persona.sub ?? personas.user.sub,
    email: values.email ?? persona.email,
    firstName: firstName ?? persona.firstName,
    lastName: values.name === undefined ? persona.lastName : rest.join(' '),
    roles: values.roles?.split(',').map(role => role.trim()) ?? persona.roles,
    startup: values.startup ?? persona.startup
  }, readTime(values.expires)))
}

function findPersona (name: string): Persona {
  if (Object.hasOwn(personas, name)) return personas[name as PersonaName]
  throw new Error(`--as must be one of ${Object.keys(personas).join(', ')}`)
}

function readTime (text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  if (match === null) throw new Error('--expires must be a number with s, m, h or d, such as 12h')
  return Number(match[1]) * secondsOf[match[2] as keyof typeof secondsOf]
}
