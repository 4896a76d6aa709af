import { current } from './f1-current.js'
import { status } from './f2-status.js'
import { accept } from './f3-accept.js'
import { flat } from './f4-flat.js'
import { far } from './f5-far.js'
import { search } from './f6-search.js'
import { views } from './f7-views.js'
import { cost } from './f8-cost.js'
import { processes } from './f9-processes.js'
import { overload } from './f10-overload.js'
import type { Measure } from './measure.js'

/** All measures in the order in which they run; those that only read come before those that write. */
export const measures: readonly Measure[] = [current, status, flat, far, search, accept, views, cost, processes, overload]
