import { statuses, transitions, type Action, type Status } from './workflow.js'

const box = { x: 230, width: 250, height: 38 }
const step = 84
const top = 62
const middle = box.x + box.width / 2

/** The statuses of the workflow's spine, from top to bottom; the archive stands aside, every one leads there and back. */
const spine = statuses.filter(status => status !== 'archived')

/**
 * The state graph as an SVG picture, derived from the rules: a step down the spine is a straight arrow, a leap down an
 * arc on the right, a way back an arc on the left. Steps that keep the status are left out, they would hide the way.
 */
export function statesPicture (): string {
  const height = top + spine.length * step - 20
  const shapes = [...arrows()].map(([key, actions]) => {
    const [from = '', to = ''] = key.split('>')
    return arrow(spine.indexOf(from as never), spine.indexOf(to as never), actions.join(' / '))
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 872 ${height}" width="872" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<title>The states of a signal</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#475569"/></marker></defs>
<rect width="872" height="${height}" rx="10" fill="#f8fafc"/>
<circle cx="${middle}" cy="20" r="7" fill="#475569"/>
${path(`M${middle} 27V${top - 2}`)}${label(middle + 10, 48, 'create')}
${shapes.join('\n')}
${spine.map((status, index) => node(box.x, yOf(index), status)).join('\n')}
${archive(height)}
</svg>`
}

function arrows (): Map<string, Action[]> {
  const found = new Map<string, Action[]>()
  for (const { action, from, to } of transitions()) {
    if (from === null || from === to || from === 'archived' || to === 'archived') continue
    const key = `${from}>${to}`
    found.set(key, [...found.get(key) ?? [], action])
  }
  return found
}

function arrow (from: number, to: number, text: string): string {
  if (to === from + 1) return path(`M${middle} ${yOf(from) + box.height}V${yOf(to) - 2}`) + label(middle + 10, yOf(to) - 19, text)
  const [start, end] = [yOf(from) + box.height / 2, yOf(to) + box.height / 2]
  const down = to > from
  const side = down ? box.x + box.width : box.x
  const far = side + (down ? 1 : -1) * 60
  const curve = path(`M${side} ${start}C${far} ${start} ${far} ${end} ${side + (down ? 3 : -3)} ${end}`)
  return curve + label(side + (down ? 54 : -54), (start + end) / 2 + 4, text, down ? 'start' : 'end')
}

function archive (height: number): string {
  const y = height / 2 - box.height / 2
  const x = 712
  return `<path d="M652 ${top}v${height - top - 46}" stroke="#94a3b8" stroke-width="2" stroke-dasharray="5 5"/>
${path(`M654 ${y + box.height / 2}H${x - 3}`, 'marker-start="url(#tip)"')}
${label(x + 70, y - 12, 'archive / unarchive', 'middle')}
<rect x="${x}" y="${y}" width="140" height="${box.height}" rx="8" fill="#e2e8f0" stroke="#94a3b8"/>
${label(x + 70, y + 24, 'archived', 'middle')}
${label(x + 70, y + 60, 'from any status,', 'middle')}${label(x + 70, y + 78, 'and back to that one', 'middle')}`
}

function node (x: number, y: number, status: Status): string {
  return `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="8" fill="#dbeafe" stroke="#3b82f6"/>` +
    label(x + box.width / 2, y + 24, status, 'middle')
}

function path (d: string, attributes = ''): string {
  return `<path d="${d}" fill="none" stroke="#475569" stroke-width="1.5" marker-end="url(#tip)" ${attributes}/>`
}

function label (x: number, y: number, text: string, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#0f172a">${text}</text>`
}

function yOf (index: number): number {
  return top + index * step
}
