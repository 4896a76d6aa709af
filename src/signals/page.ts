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
  /**
   * Given when there is a substring pattern among the conditions, which needs a plan of its own: the column that
   * `orderBy` descends by, before the key.
   */
  readonly searchedBy?: RawBuilder<unknown>
}

/** Reads one page and the exact total, also beyond the end, in one round trip. Each row must have an `id`. */
export async function selectPage<Row extends { id: string }> (
  db: Kysely<Database>, page: Page, listing: Listing
): Promise<{ items: Row[], total: number }> {
  const { key, columns, read, joins = sql`` } = listing
  const { rows } = await sql<Row & { total: number, place: number }>`${choice(page, listing)}
    select counted.total, page.*
    from counted left join (
      select chosen.place, ${columns} from chosen join ${read} on ${key} = chosen.chosen_id ${joins}
    ) page on true
    order by page.place
  `.execute(db)
  const { items, total } = splitPage(rows)
  return { items: items.map(({ place: _place, ...row }) => row as unknown as Row), total }
}

function choice (page: Page, listing: Listing): RawBuilder<unknown> {
  return listing.searchedBy === undefined ? choiceByIndex(page, listing) : choiceBySearch(page, listing, listing.searchedBy)
}

/** Counts in an index and reads the page in the order of an index. */
function choiceByIndex ({ limit, offset }: Page, listing: Listing): RawBuilder<unknown> {
  const { from, key, orderBy } = listing
  const where = conditions(listing)
  return sql`with counted as (
      select count(*) as total from ${from} where ${where}
    ), chosen as (
      select ${key} as chosen_id, row_number() over (order by ${orderBy}) as place
      from ${from} where ${where} order by ${orderBy} limit ${limit} offset ${offset}
    )`
}

/**
 * A search is not in any order: done once, for the total and the page together. Only the page is sorted, because what is
 * found may be half of the table.
 */
function choiceBySearch ({ limit, offset }: Page, listing: Listing, searchedBy: RawBuilder<unknown>): RawBuilder<unknown> {
  const { from, key } = listing
  return sql`${sql.raw(planPerValue)} with found as materialized (
      select ${key} as chosen_id, ${searchedBy} as moment from ${from} where ${conditions(listing)}
    ), counted as (
      select count(*) as total from found
    ), nearest as (
      select chosen_id, moment from found order by moment desc, chosen_id desc limit ${limit} offset ${offset}
    ), chosen as (
      select chosen_id, row_number() over (order by moment desc, chosen_id desc) as place from nearest
    )`
}

function conditions ({ where }: Listing): RawBuilder<unknown> {
  return sql.join([sql`true`, ...where], sql` and `)
}
