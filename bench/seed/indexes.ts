import type pg from 'pg'

/** Drops what is cheaper to build at the end and returns the statements that do. */
export async function dropIndexes (client: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ down: string, up: string }>(`
    select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as down,
      format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as up
    from pg_constraint c where c.conrelid = any($1::regclass[]) and c.contype = 'u'
    union all
    select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
    from pg_index i where i.indrelid = any($1::regclass[])
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  `, [tables])
  for (const { down } of rows) await client.query(down)
  return rows.map(({ up }) => up)
}
