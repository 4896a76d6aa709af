import t, { type Test } from 'tap'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage, type Image } from '../../dev/image/build.js'

const end = `
USER 1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["true"]
CMD ["node", "app.js"]
`

/** Builds from a folder with `app.js`, `lib/inner.js`, `secret.js` and this Dockerfile. */
function build (t: Test, dockerfile: string, dockerignore = '*\n!app.js\n!lib\n'): Image {
  const context = mkdtempSync(join(tmpdir(), 'context-'))
  t.teardown(() => { rmSync(context, { recursive: true }) })
  mkdirSync(join(context, 'lib'))
  for (const name of ['app.js', 'lib/inner.js', 'secret.js']) writeFileSync(join(context, name), name)
  writeFileSync(join(context, 'Dockerfile'), dockerfile)
  writeFileSync(join(context, '.dockerignore'), dockerignore)
  const folder = join(context, 'stages')
  mkdirSync(folder)
  return buildImage({ context, folder, onStep () {} })
}

t.test('the steps of a Dockerfile are run in folders', async t => {
  const image = build(t, `
# A comment
FROM node:22-slim AS build
WORKDIR /app
ENV NAME=value OTHER=2
COPY app.js ./
COPY lib lib
RUN echo "$NAME" > made && \\
  pwd > place
FROM node:22.1.0-slim
WORKDIR /srv/app
COPY --from=build /app/made /app/app.js ./
COPY --from=build /app/lib lib
EXPOSE 3000 9100
${end}`)
  const read = (name: string) => readFileSync(join(image.root, 'srv/app', name), 'utf8')
  t.equal(read('made'), 'value\n')
  t.equal(read('app.js'), 'app.js')
  t.equal(read('lib/inner.js'), 'lib/inner.js')
  t.throws(() => read('place'), { code: 'ENOENT' })
  t.match(image, {
    workdir: '/srv/app',
    user: '1000',
    command: ['node', 'app.js'],
    ports: ['3000', '9100'],
    nodeMajor: 22,
    env: {},
    healthcheck: { command: ['true'], timeoutMs: 3000, startPeriodMs: 10_000 }
  })
  t.same(image.env, {}, 'a stage does not inherit from another')
})

t.test('what the check cannot do, and what an image should not do, is an error with its line', async t => {
  const start = 'FROM node:22-slim\nWORKDIR /app\n'
  const rows: Array<[string, RegExp]> = [
    [`${start}ADD app.js ./${end}`, /^Dockerfile:3: ADD: cannot be checked$/],
    [`${start}SHELL ["bash"]${end}`, /^Dockerfile:3: SHELL: cannot be checked$/],
    [`FROM alpine${end}`, /^Dockerfile:1: FROM: /],
    [`WORKDIR /app\n${start}${end}`, /^Dockerfile:1: WORKDIR: comes before FROM$/],
    [`${start}COPY secret.js ./${end}`, /COPY: secret.js is kept out by \.dockerignore$/],
    [`${start}COPY . .${end}`, /COPY: \. is kept out/],
    [`${start}COPY --from=build /app/x x${end}`, /COPY: there is no stage build$/],
    [`${start}COPY --chown=node app.js ./${end}`, /COPY: --chown cannot be checked$/],
    [`${start}COPY *.js ./${end}`, /COPY: plain names only$/],
    [`${start}RUN rm -rf /app${end}`, /RUN: a path from the root/],
    [`${start}RUN exit 3${end}`, /^Dockerfile:3: RUN: ended with 3$/],
    [`${start}RUN --mount=type=cache true${end}`, /RUN: --mount cannot be checked$/],
    [`${start}ENV A="b c"${end}`, /ENV: /],
    [`${start}USER root`, /USER: must be the number of an account other than root$/],
    [`${start}USER 0`, /USER: /],
    [`${start}${end.replace('["node", "app.js"]', 'node app.js')}`, /CMD: must be a JSON array/],
    [`${start}${end.replace('USER 1000', '')}`, /has no USER$/],
    [`${start}${end.replace(/HEALTHCHECK.*/, '')}`, /has no HEALTHCHECK$/],
    [`${start}${end.replace(/CMD \["node.*/, '')}`, /has no CMD$/],
    [`${start}!!`, /^Dockerfile:3: not an instruction$/]
  ]
  for (const [dockerfile, message] of rows) t.throws(() => build(t, dockerfile), { message })
  t.throws(() => build(t, start + end, 'secret.js\n'), { message: '.dockerignore: the first line must be *' })
  t.throws(() => build(t, start + end, '*\n!lib/**\n'), { message: /^\.dockerignore: !lib/ })
})
