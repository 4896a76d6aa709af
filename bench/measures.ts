import { current } from './f1-current.js'
import { status } from './f2-status.js'
import { accept } from './f3-accept.js'
import { cost } from './f8-cost.js'
import type { Measure } from './measure.js'

/** All measures in the order in which they run. */
export const measures: readonly Measure[] = [current, status, accept, cost]
