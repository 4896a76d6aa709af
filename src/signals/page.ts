import { type Kysely, type RawBuilder, sql } from 'kysely'
import { planPerValue } from '../database/pool.js'
import type { Database } from '../database/schema.js'
import { splitPage } from '../kernel/paging.js'
import type { Page } from './inputs.js'

/** One list: what is filtered, counted and ordered, and what is then read of the rows of one page. */
export interface Listing {
  /** The tables that the conditions and the order need. */
  readonly from: RawBuilder<unknown>
  readonly where: ReadonlyArray<RawBuilder<unknown>>
  readonly orderBy: RawBuilder<unknown>
  /** The id in `from` by which the page's rows are found again in `read`. */
  readonly key: RawBuilder<unknown>
  readonly columns: RawBuilder<unknown>
  readonly read: RawBuilder<unknown>
  readonly joins?: RawBuilder<unknown>
  /** A substring pattern among the conditions needs a plan of its own. */
  readonly planPerValue?: boolean
}

/** Reads one page and the exact total, also beyond the end, in one round trip. Each row must have an `id`. */
export async function selectPage<Row extends { id: string }> (
  db: Kysely<Database>, { limit, offset }: Page, listing: Listing
): Promise<{ items: Row[], total: number }> {
  const { from, orderBy, key, columns, read, joins = sql`` } = listing
  const where = sql.join([sql`true`, ...listing.where], sql` and `)
  const { rows } = await sql<Row & { total: number, place: number }>`${sql.raw(listing.planPerValue === true ? planPerValue : '')}
    select counted.total, page.*
    from (select count(*) as total from ${from} where ${where}) counted
    left join (
      select chosen.place, ${columns}
      from (
        select ${key} as chosen_id, row_number() over (order by ${orderBy}) as place
        from ${from} where ${where} order by ${orderBy} limit ${limit} offset ${offset}
      ) chosen
      join ${read} on ${key} = chosen.chosen_id ${joins}
    ) page on true
    order by page.place
  `.execute(db)
  const { items, total } = splitPage(rows)
  return { items: items.map(({ place: _place, ...row }) => row as unknown as Row), total }
}
