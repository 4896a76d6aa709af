import type { AuthTables } from '../auth/tables.js'
import type { LegalTables } from '../legal/tables.js'
import type { SignalTables } from '../signals/tables.js'

/** All tables, each declared by the part that owns it. */
export interface Database extends AuthTables, LegalTables, SignalTables {}
