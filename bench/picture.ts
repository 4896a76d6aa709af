import type { Facts } from './machine.js'
import { isMet, type Row } from './measure.js'
import { formatFigure, formatGoal } from './table.js'

const width = 960
const rowHeight = 34
const top = 92
const labelEnd = 452
const barStart = 468
const barEnd = 780
/** The goal's place on the bars; what is twice as good as the goal, or better, fills the bar. */
const goalAt = barStart + (barEnd - barStart) / 2

/**
 * A bar for each row: how far it got towards its goal, whatever the unit. The line in the middle is the goal; to its
 * right is better.
 */
export function drawPicture (rows: readonly Row[], facts: Facts): string {
  const judged = rows.filter(row => row.goal !== undefined)
  const height = top + judged.length * rowHeight + 64
  const lines = judged.map((row, index) => drawRow(row, top + index * rowHeight))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Measures against their goals">
<style>
  .page { fill: #fff } text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2933 }
  .title { font-size: 19px; font-weight: 600 } .faint { fill: #6b7785; font-size: 12px }
  .id { font-weight: 600; fill: #6b7785 } .figure { font-weight: 600 }
  .track { fill: #eef1f4 } .met { fill: #2f9e73 } .missed { fill: #d9822b } .goal { stroke: #1f2933; stroke-width: 1.5; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #12181f } text { fill: #e6ebf0 } .faint, .id { fill: #93a1b0 } .track { fill: #222c37 } .goal { stroke: #e6ebf0 }
  }
</style>
<rect class="page" width="${width}" height="${height}" rx="10"/>
<text class="title" x="24" y="38">How near each measure comes to its goal</text>
<text class="faint" x="24" y="60">The broken line is the goal, to its right is better; a full bar is twice as good or more.</text>
<text class="faint" x="${goalAt}" y="${top - 10}" text-anchor="middle">goal</text>
${lines.join('\n')}
<line class="goal" x1="${goalAt}" y1="${top - 4}" x2="${goalAt}" y2="${top + judged.length * rowHeight}"/>
<text class="faint" x="24" y="${height - 26}">${escape(`${facts['acceptances']} acceptances; ${facts['processor']}; ${facts['system']}; ${facts['pinned']}`)}</text>
<text class="faint" x="24" y="${height - 10}">${escape(`Node ${facts['node']}; PostgreSQL ${facts['postgres']}; medians of ${facts['rounds']}; ${facts['date']}`)}</text>
</svg>
`
}

function drawRow (row: Row, y: number): string {
  const { id, measure } = row
  const share = Math.min(1, nearness(row) / 2)
  const length = Math.max(2, share * (barEnd - barStart))
  return `<text class="id" x="24" y="${y + 20}">${id}</text>
<text x="58" y="${y + 20}">${escape(shorten(measure))}</text>
<rect class="track" x="${barStart}" y="${y + 7}" width="${barEnd - barStart}" height="18" rx="4"/>
<rect class="${isMet(row) === true ? 'met' : 'missed'}" x="${barStart}" y="${y + 7}" width="${length.toFixed(1)}" height="18" rx="4"/>
<text class="figure" x="${barEnd + 14}" y="${y + 20}">${escape(formatFigure(row))}</text>
<text class="faint" x="${barEnd + 92}" y="${y + 20}">${escape(formatGoal(row))}</text>`
}

/** 1 at the goal, 2 at twice as good. */
function nearness ({ figure, goal }: Row): number {
  if (goal === undefined) return 0
  return goal.at === 'least' ? figure / goal.value : goal.value / figure
}

function shorten (text: string): string {
  const most = Math.floor((labelEnd - 58) / 6.6)
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

function escape (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
