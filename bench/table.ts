import type { Facts } from './machine.js'
import { isMet, type Row, type Skipped } from './measure.js'

/** Prints the result. A missed goal is a word in it, never a failure of the run. */
export function printTable (rows: ReadonlyArray<Row | Skipped>, facts: Facts): void {
  const cells = rows.map(row => 'skipped' in row
    ? [row.id, row.measure, '-', '', '', '', row.skipped]
    : [row.id, row.measure, formatFigure(row), formatRange(row), formatGoal(row), verdict(row), row.detail])
  const all = [['', 'Measure', 'Found', 'Rounds', 'Goal', '', 'Of this run'], ...cells]
  const widths = [0, 1, 2, 3, 4, 5].map(column => Math.max(...all.map(line => (line[column] as string).length)))
  console.log(Object.entries(facts).map(([name, fact]) => `${name}: ${fact}`).join('; '))
  for (const line of all) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd())
}

export function formatFigure ({ figure, unit }: Row): string {
  return unit === 'ratio' ? `x ${round(figure)}` : `${round(figure)} ${unit}`
}

function formatRange ({ range }: Row): string {
  return range === undefined ? '' : `${round(range[0])}-${round(range[1])}`
}

function round (value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

export function formatGoal ({ goal, unit }: Row): string {
  if (goal === undefined) return ''
  return `${goal.at === 'least' ? '>=' : '<='} ${goal.value}${unit === 'ratio' ? '' : ` ${unit}`}`
}

export function verdict (row: Row): string {
  const met = isMet(row)
  return met === undefined ? '' : met ? 'met' : 'missed'
}
