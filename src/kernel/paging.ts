/**
 * Splits the rows of `select counted.total, page… from counted left join page on true`: such a statement has one row
 * with a null id when the page is beyond the end, so that the total stays exact there.
 */
export function splitPage<T extends { total: number, id: string }> (rows: readonly T[]): { items: Array<Omit<T, 'total'>>, total: number } {
  const items = rows.flatMap(({ total: _total, ...row }) => row.id === null ? [] : [row])
  return { items, total: rows[0]?.total ?? 0 }
}
