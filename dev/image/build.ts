import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { contextOf, execForm, parseDockerfile, type Instruction } from './dockerfile.js'

/** What the last stage of a Dockerfile amounts to. */
export interface Image {
  /** The folder that stands for `/`. */
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
  readonly healthcheck: { readonly command: readonly string[], readonly timeoutMs: number, readonly startPeriodMs: number }
  readonly ports: readonly string[]
  /** Of the base image. */
  readonly nodeMajor: number
}

interface Stage {
  readonly root: string
  readonly nodeMajor: number
  workdir: string
  env: Record<string, string>
  user?: string
  command?: string[]
  healthcheck?: Image['healthcheck']
  ports: string[]
}

export interface BuildOptions {
  /** The project's folder. */
  readonly context: string
  /** An empty folder for the stages. */
  readonly folder: string
  /** Told of each instruction before it is run. */
  onStep (text: string): void
}

/**
 * Runs the instructions of the Dockerfile, each stage in a folder of its own that stands for its file system. Throws at
 * whatever cannot be done that way, so that nothing in the file goes unchecked.
 */
export function buildImage ({ context, folder, onStep }: BuildOptions): Image {
  const allowed = contextOf(readFileSync(join(context, '.dockerignore'), 'utf8'))
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const instruction of parseDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    onStep(`${instruction.keyword} ${instruction.argument}`)
    if (instruction.keyword === 'FROM') {
      const [, major, name = 'final'] = /^node:(\d+)(?:\.[\d.]+)?-slim(?: AS (\w+))?$/i.exec(instruction.argument) ?? fail(instruction, 'only node:<version>-slim can be stood for')
      const root = join(folder, name)
      mkdirSync(root)
      stage = { root, nodeMajor: Number(major), workdir: '/', env: {}, ports: [] }
      stages.set(name, stage)
    } else {
      const step = steps[instruction.keyword] ?? fail(instruction, 'cannot be checked')
      step(stage ?? fail(instruction, 'comes before FROM'), instruction, { context, allowed, stages })
    }
  }
  return complete(stage)
}

interface Surroundings {
  readonly context: string
  readonly allowed: ReadonlySet<string>
  readonly stages: ReadonlyMap<string, Stage>
}

const steps: Readonly<Record<string, (stage: Stage, instruction: Instruction, surroundings: Surroundings) => void>> = {
  WORKDIR (stage, instruction) {
    expectFlags(instruction, [])
    stage.workdir = posix.resolve(stage.workdir, instruction.argument)
    mkdirSync(join(stage.root, stage.workdir), { recursive: true })
  },

  ENV (stage, instruction) {
    expectFlags(instruction, [])
    for (const pair of instruction.argument.split(/\s+/)) {
      const [, name = '', value = ''] = /^(\w+)=([\w.:/-]*)$/.exec(pair) ?? fail(instruction, 'only name=value without quotes can be read')
      stage.env[name] = value
    }
  },

  COPY: copy,

  RUN (stage, instruction) {
    expectFlags(instruction, [])
    if (/(^|[\s="'])\/\w/.test(instruction.argument)) fail(instruction, 'a path from the root would be the one of this machine')
    const { status } = spawnSync('/bin/sh', ['-c', instruction.argument], {
      cwd: join(stage.root, stage.workdir), env: { ...cleanEnvironment(), ...stage.env }, stdio: ['ignore', 'ignore', 'inherit']
    })
    if (status !== 0) fail(instruction, `ended with ${status}`)
  },

  USER (stage, instruction) {
    if (!/^\d+$/.test(instruction.argument) || Number(instruction.argument) === 0) fail(instruction, 'must be the number of an account other than root')
    stage.user = instruction.argument
  },

  EXPOSE (stage, instruction) {
    stage.ports.push(...instruction.argument.split(/\s+/))
  },

  HEALTHCHECK (stage, instruction) {
    expectFlags(instruction, ['interval', 'timeout', 'start-period'])
    const [, argument = ''] = /^CMD (.*)$/.exec(instruction.argument) ?? fail(instruction, 'must be a CMD')
    const seconds = (flag: string) => Number(/^(\d+)s$/.exec(instruction.flags[flag] ?? '')?.[1] ?? fail(instruction, `--${flag} must be in seconds`))
    stage.healthcheck = { command: execForm(argument, place(instruction)), timeoutMs: seconds('timeout') * 1000, startPeriodMs: seconds('start-period') * 1000 }
  },

  CMD (stage, instruction) {
    stage.command = execForm(instruction.argument, place(instruction))
  }
}

function copy (stage: Stage, instruction: Instruction, { context, allowed, stages }: Surroundings): void {
  expectFlags(instruction, ['from'])
  const words = instruction.argument.split(/\s+/)
  const target = words.pop() ?? ''
  if (words.length === 0 || /[*?["']/.test(instruction.argument)) fail(instruction, 'plain names only')
  const { from } = instruction.flags
  const into = target.endsWith('/')
  const destination = join(stage.root, posix.resolve(stage.workdir, target))
  if (words.length > 1 && !into) fail(instruction, 'several things go into a folder, which ends with /')
  for (const word of words) {
    if (from === undefined && !allowed.has(word)) fail(instruction, `${word} is kept out by .dockerignore`)
    const source = from === undefined ? join(context, word) : join((stages.get(from) ?? fail(instruction, `there is no stage ${from}`)).root, word)
    if (!existsSync(source)) fail(instruction, `${word} does not exist`)
    const isFolder = statSync(source).isDirectory()
    // Of a folder it is the contents that are copied.
    const place = into && !isFolder ? join(destination, basename(source)) : destination
    mkdirSync(dirname(place), { recursive: true })
    cpSync(source, place, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
}

function complete (stage: Stage | undefined): Image {
  const { root, workdir, env, user, command, healthcheck, ports, nodeMajor } = stage ?? {}
  if (root === undefined || workdir === undefined || env === undefined || nodeMajor === undefined) throw new Error('Dockerfile: no stage')
  if (user === undefined) throw new Error('Dockerfile: the last stage has no USER')
  if (command === undefined) throw new Error('Dockerfile: the last stage has no CMD')
  if (healthcheck === undefined) throw new Error('Dockerfile: the last stage has no HEALTHCHECK')
  return { root, workdir, env, user, command, healthcheck, ports: ports ?? [], nodeMajor }
}

/** What a container would not have of this process's environment is left out, but for what leads to the registry. */
export function cleanEnvironment (): Record<string, string> {
  const names = Object.keys(process.env).filter(name => /^(HOME|NODE_EXTRA_CA_CERTS|npm_config_(cache|registry|userconfig)|(https?|no)_proxy)$/i.test(name))
  const folders = (process.env['PATH'] ?? '').split(':').filter(folder => !folder.includes('node_modules/.bin'))
  return {
    PATH: [dirname(process.execPath), ...folders].join(':'),
    ...Object.fromEntries(names.map(name => [name, process.env[name] as string]))
  }
}

function expectFlags (instruction: Instruction, known: readonly string[]): void {
  for (const flag of Object.keys(instruction.flags)) {
    if (!known.includes(flag)) fail(instruction, `--${flag} cannot be checked`)
  }
}

function place ({ keyword, line }: Instruction): string {
  return `Dockerfile:${line}: ${keyword}`
}

function fail (instruction: Instruction, reason: string): never {
  throw new Error(`${place(instruction)}: ${reason}`)
}
