import type pg from 'pg'
import { dropIndexes } from './indexes.js'

/** Documents of each type; the last is the active one. */
const versions = 5
const days = 600
const firstDay = '2025-01-01 00:00:00+00'
// Scatters the acceptances over the users, so that neighbours in the log are no neighbours in the table of users.
const scatter = 7_368_787n

/**
 * `scale` users with one acceptance each, spread evenly over 600 days and ten documents of 4 KB; then whatever the
 * totals need. `scale` is a power of ten.
 */
export async function seedLegal (client: pg.Client, scale: number): Promise<void> {
  await client.query(`
    create function pg_temp.at(j bigint) returns timestamptz(3) language sql immutable as
      $$ select ('${firstDay}'::timestamptz + j * (interval '${days} days' / ${scale}))::timestamptz(3) $$;
    create function pg_temp.id_at(moment timestamptz, salt text) returns uuid language sql immutable as $$
      select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(salt), 1, 3) || '8' || substr(md5(salt), 4, 15))::uuid
    $$;
    create function pg_temp.user_id(u bigint) returns text language sql immutable as
      $$ select 'user-' || lpad(u::text, 8, '0') $$;
  `)
  await client.query(`
    insert into legal_documents (id, type, version, title, content, effective_date, published_at, published_by, is_active,
      requires_immediate, grace_period_days, created_at, updated_at)
    select pg_temp.id_at(moment - interval '1 hour', type || k), type, (k + 1) || '.0.0', initcap(type) || ', edition ' || k + 1,
      rpad('', 4096, 'These words stand for the text of a legal document. '), moment, moment, 'admin-0@example.com',
      k = ${versions - 1}, k % 2 = 0, k * 10, moment - interval '1 hour', moment
    from (
      select type, k, '${firstDay}'::timestamptz + k * interval '${days / versions} days' as moment
      from unnest(array['terms', 'privacy']) type, generate_series(0, ${versions - 1}) k
    ) d
  `)
  const indexes = await dropIndexes(client, ['users', 'document_acceptances'])
  await client.query(`
    insert into users (id, email, first_name, last_name, terms_version, terms_accepted_at, privacy_version, privacy_accepted_at, created_at)
    select pg_temp.user_id(u), pg_temp.user_id(u) || '@example.com', 'Given' || u % 997, 'Family' || u % 9973,
      case j % 2 when 0 then version end, case j % 2 when 0 then pg_temp.at(j) end,
      case j % 2 when 1 then version end, case j % 2 when 1 then pg_temp.at(j) end,
      pg_temp.at(u)
    from (
      select u, j, (j * ${versions} / ${scale} + 1) || '.0.0' as version
      from (select u, u * ${inverse(scatter, BigInt(scale))} % ${scale} as j from generate_series(0::bigint, ${scale - 1}) u) numbers
    ) rows
  `)
  await client.query(`
    insert into document_acceptances (id, user_id, document_id, type, version, accepted_at, ip_address, user_agent)
    select pg_temp.id_at(pg_temp.at(j), j::text), pg_temp.user_id(j * ${scatter} % ${scale}), d.id, d.type, d.version, pg_temp.at(j),
      '203.0.113.' || j % 256, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/' || 100 + j % 40
    from generate_series(0::bigint, ${scale - 1}) j
    join legal_documents d
      on d.type = case j % 2 when 0 then 'terms' else 'privacy' end and d.version = (j * ${versions} / ${scale} + 1) || '.0.0'
  `)
  for (const index of indexes) await client.query(index)
  await client.query('vacuum (analyze) document_acceptances')
  await client.query('vacuum (analyze) users')
  await sealTotals(client)
}

/** The totals that the service keeps beside the log, brought up to date at once instead of bit by bit. */
async function sealTotals (client: pg.Client): Promise<void> {
  const { rows: [found] } = await client.query<{ exists: boolean }>("select to_regproc('seal_acceptances') is not null as exists")
  if (found?.exists !== true) return
  for (let sealed = 1; sealed > 0;) {
    const { rows: [row] } = await client.query<{ sealed: number }>('select seal_acceptances(4096, 100) as sealed')
    sealed = row?.sealed ?? 0
  }
  await client.query('select seal_users()')
}

/** The number that undoes a multiplication by `factor` modulo `modulus`. */
function inverse (factor: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [factor % modulus, modulus, 1n, 0n]
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % modulus) + modulus) % modulus
}
